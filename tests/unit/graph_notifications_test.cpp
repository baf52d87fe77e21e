// What Microsoft Graph posts: the handshake, what is read of notifications, what is believed, and what is asked of the store and
// told to the watch.
#include "api/graph_notifications.h"

#include <gmock/gmock.h>

#include <set>

#include "api/limits.h"
#include "support/metric_value.h"

namespace eilbote::test::graph_notifications_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two subscriptions, and what was written down; `error` is the answer to everything else.
class FakeMailboxes final : public MailboxWatch {
 public:
  std::vector<std::string> written;
  std::set<std::string> known_ids;
  int lookups = 0;
  std::optional<ErrorKind> lookup_error{}, add_error{}, want_error{};

  Result<std::vector<WatchedMailbox>> with_subscriptions(std::span<const std::string> ids) override {
    ++lookups;
    if (lookup_error) return fail(*lookup_error, "as the test says");
    std::vector<WatchedMailbox> found;
    for (const std::string& id : ids) {
      if (id == "sub-a") found.push_back(watched("a@x.org", id, "state of a"));
      if (id == "sub-b") found.push_back(watched("b@x.org", id, "state of b"));
      if (id == "sub-open") found.push_back(watched("open@x.org", id, ""));
    }
    return found;
  }
  Result<int> add(std::span<const MailNotice> notices) override {
    if (add_error) return fail(*add_error, "as the test says");
    int added = 0;
    for (const MailNotice& notice : notices) {
      const std::string line = notice.mailbox + " " + notice.message_id;
      if (!known_ids.insert(line).second) continue;
      written.push_back(line);
      ++added;
    }
    return added;
  }
  Result<void> want(const std::string& mailbox, GraphLifecycle wish) override {
    if (want_error) return fail(*want_error, "as the test says");
    written.push_back(mailbox + " wants " + std::string(kGraphLifecycleNames.text(wish)));
    return {};
  }

  Result<std::vector<WatchedMailbox>> keep(Epoch, std::span<const std::string>, Duration) override {
    return unexpected();
  }
  Result<std::vector<std::string>> known(int) override { return unexpected(); }
  Result<void> save(const WatchedMailbox&) override { return unexpected(); }
  Result<std::vector<MailNotice>> waiting(std::span<const std::string>, int) override { return unexpected(); }
  Result<void> read(std::span<const std::int64_t>) override { return unexpected(); }
  Result<void> put_off(std::int64_t, Duration) override { return unexpected(); }
  Result<int> forget_read(int) override { return unexpected(); }

 private:
  static WatchedMailbox watched(std::string mailbox, std::string subscription, std::string state) {
    WatchedMailbox row;
    row.mailbox = std::move(mailbox);
    row.subscription_id = std::move(subscription);
    row.client_state = std::move(state);
    return row;
  }
  static tl::unexpected<Error> unexpected() {
    return fail(ErrorKind::internal, "nobody should ask for this");
  }
};

class GraphNotificationsTest : public ::testing::Test {
 protected:
  GraphNotificationsTest() {
    settings.graph_noticed = [this] { told.emplace_back("noticed"); };
    settings.graph_lifecycle = [this](const std::string& mailbox, GraphLifecycle wish) {
      told.push_back(mailbox + " " + std::string(kGraphLifecycleNames.text(wish)));
    };
  }

  NotificationAnswer post(const std::string& body) {
    return take_graph_notifications(body, "0af7651916cd43dd8448eb211c80319c", mailboxes, metrics, settings);
  }
  static std::string notice(const std::string& subscription, const std::string& state,
                            const std::string& message) {
    return R"({"subscriptionId":")" + subscription + R"(","clientState":")" + state +
           R"(","changeType":"created","resource":"users/1/messages/other","resourceData":{"id":")" +
           message + R"("}})";
  }
  static std::string lifecycle(const std::string& subscription, const std::string& state,
                               const std::string& event) {
    return R"({"subscriptionId":")" + subscription + R"(","clientState":")" + state +
           R"(","lifecycleEvent":")" + event + R"("})";
  }
  static std::string value_of(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& item : items)
      all += (all.empty() ? "" : ",") + item;
    return R"({"value":[)" + all + "]}";
  }
  int counted(const std::string& outcome) {
    return static_cast<int>(
        metric_value(metrics, "eilbote_graph_notifications_total{outcome=\"" + outcome + "\"}").value_or(0));
  }
  void expect_accepted(const NotificationAnswer& answer) {
    ASSERT_TRUE(answer) << answer.error().detail;
    EXPECT_EQ(answer->status, 202);
    EXPECT_EQ(answer->body, "") << "who sent it does not learn what was believed";
  }

  FakeMailboxes mailboxes;
  Metrics metrics;
  ApiSettings settings;
  std::vector<std::string> told;
};

TEST(GraphHandshake, repeats_the_token_decoded_and_nothing_else) {
  struct Case {
    const char* query;
    const char* want;
  };
  const Case cases[] = {
      {"validationToken=abc", "abc"},
      {"validationToken=Validation%3A+Testing+client+application", "Validation: Testing client application"},
      {"a=b&validationToken=x%2By%20z&c=%zz", "x+y z"},
      {"validation%54oken=x", "x"},
      {"validationToken=a=b", "a=b"},
      {"validationToken=%3Cscript%3E", "<script>"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.query);
    const auto answer = answer_handshake(one.query);
    ASSERT_TRUE(answer && *answer);
    EXPECT_EQ((*answer)->status, 200);
    EXPECT_EQ((*answer)->content_type, "text/plain") << "never a page";
    EXPECT_EQ((*answer)->body, one.want);
  }
}

TEST(GraphHandshake, has_limits) {
  const std::string most(kValidationTokenMax, 'x');
  const auto good = answer_handshake("validationToken=" + most);
  ASSERT_TRUE(good && *good);
  EXPECT_EQ((*good)->body, most);
  for (const std::string& query :
       {"validationToken=" + most + "x", std::string("validationToken="), std::string("validationToken"),
        std::string("validationToken=%zz"), std::string("validationToken=a&validationToken=b")}) {
    SCOPED_TRACE(query.substr(0, 40));
    const auto answer = answer_handshake(query);
    ASSERT_TRUE(answer);
    ASSERT_FALSE(*answer);
    EXPECT_EQ(answer->error().status(), 400);
    EXPECT_THAT(answer->error().detail, HasSubstr("query parameter 'validationToken'"));
  }
}

TEST(GraphHandshake, is_asked_for_by_its_name_only) {
  for (const char* query : {"", "x=1", "validationtoken=x", "&&=", "xvalidationToken=1"})
    EXPECT_FALSE(answer_handshake(query)) << query;
}

TEST_F(GraphNotificationsTest, what_is_credible_is_on_record_before_the_answer) {
  expect_accepted(post(value_of({notice("sub-a", "state of a", "m1"), notice("sub-b", "state of b", "m2"),
                                 notice("sub-a", "state of a", "m1")})));
  EXPECT_THAT(mailboxes.written, ElementsAre("a@x.org m1", "b@x.org m2"));
  EXPECT_EQ(mailboxes.lookups, 1) << "one question for all of them";
  EXPECT_EQ(counted("new"), 2);
  EXPECT_EQ(counted("known"), 1);
  EXPECT_THAT(told, ElementsAre("noticed"));
  expect_accepted(post(value_of({notice("sub-a", "state of a", "m1")})));
  EXPECT_EQ(counted("known"), 2);
  EXPECT_THAT(told, ElementsAre("noticed")) << "nothing new, nothing to do";
}

TEST_F(GraphNotificationsTest, who_does_not_know_the_secret_is_not_believed) {
  expect_accepted(post(value_of({
      notice("sub-a", "state of b", "m1"),
      notice("sub-a", "", "m2"),
      notice("sub-a", "state of a ", "m3"),
      notice("unknown", "state of a", "m4"),
      notice("sub-open", "", "m5"),
      R"({"subscriptionId":"sub-a","resourceData":{"id":"m6"}})",
      R"({"subscriptionId":"sub-a","clientState":null,"resourceData":{"id":"m7"}})",
      lifecycle("sub-a", "guess", "subscriptionRemoved"),
      notice("sub-a", "state of a", "good"),
  })));
  EXPECT_THAT(mailboxes.written, ElementsAre("a@x.org good"));
  EXPECT_EQ(counted("refused"), 8);
  EXPECT_EQ(counted("lifecycle"), 0);
}

TEST_F(GraphNotificationsTest, what_makes_no_sense_costs_only_itself) {
  const std::string state = R"("subscriptionId":"sub-a","clientState":"state of a")";
  expect_accepted(post(value_of({
      "null",
      "7",
      "[]",
      "{}",
      "{" + state + "}",
      "{" + state + R"(,"resourceData":{"id":"two words"}})",
      "{" + state + R"(,"resourceData":{"id":")" + std::string(kGraphIdMax + 1, 'x') + R"("}})",
      "{" + state + R"(,"resource":"users/1/messages/"})",
      lifecycle("sub-a", "state of a", "newerThanUs"),
      notice("sub-a", "state of a", "good"),
  })));
  EXPECT_THAT(mailboxes.written, ElementsAre("a@x.org good"));
  EXPECT_EQ(counted("unreadable"), 9);
}

TEST_F(GraphNotificationsTest, are_read_tolerantly) {
  expect_accepted(post(
      R"({"validationTokens":["x"],"@new":{},"value":[
        {"id":null,"subscriptionId":"sub-a","clientState":"state of a","changeType":"created","tenantId":"t",
         "resource":"users/1@t/messages/AAMk-last_part=","resourceData":null,"unknown":[1,{"a":2}]},
        {"subscriptionId":"sub-a","clientState":"state of a","resourceData":{"id":"AAMk=","@odata.etag":"W/1"}}]})"));
  EXPECT_THAT(mailboxes.written, ElementsAre("a@x.org AAMk-last_part=", "a@x.org AAMk="));
}

TEST_F(GraphNotificationsTest, what_is_asked_for_about_a_subscription_is_on_record_and_told_once) {
  expect_accepted(post(value_of({
      lifecycle("sub-a", "state of a", "reauthorizationRequired"),
      lifecycle("sub-a", "state of a", "reauthorizationRequired"),
      lifecycle("sub-b", "state of b", "subscriptionRemoved"),
      lifecycle("sub-b", "state of b", "missed"),
  })));
  EXPECT_THAT(mailboxes.written,
              ElementsAre("a@x.org wants renew", "b@x.org wants create", "b@x.org wants resync"));
  EXPECT_THAT(told, ElementsAre("a@x.org renew", "b@x.org create", "b@x.org resync"));
  EXPECT_EQ(counted("lifecycle"), 4);
}

TEST_F(GraphNotificationsTest, nobody_has_to_listen) {
  settings.graph_noticed = nullptr;
  settings.graph_lifecycle = nullptr;
  expect_accepted(
      post(value_of({notice("sub-a", "state of a", "m1"), lifecycle("sub-a", "state of a", "missed")})));
  EXPECT_EQ(mailboxes.written.size(), 2U);
}

TEST_F(GraphNotificationsTest, nothing_to_say_is_fine) {
  expect_accepted(post(R"({"value":[]})"));
  EXPECT_EQ(mailboxes.lookups, 0);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(GraphNotificationsTest, a_body_of_another_kind_is_refused_by_name) {
  struct Case {
    std::string body;
    const char* detail;
  };
  std::string many = "0";
  for (std::size_t i = 0; i < kGraphNotificationsMax; ++i)
    many += ",0";
  const Case cases[] = {
      {"", ""},
      {"{", ""},
      {"[]", "the body must be an object"},
      {"{}", "/value: is required: an array of notifications"},
      {R"({"value":{}})", "/value: must be an array"},
      {R"({"value":[)" + many + "]}", "/value: must have at most 10000 items"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.body.substr(0, 40));
    const NotificationAnswer answer = post(one.body);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().status(), 400);
    EXPECT_THAT(answer.error().detail, HasSubstr(one.detail));
  }
  EXPECT_THAT(mailboxes.written, IsEmpty());
}

TEST_F(GraphNotificationsTest, while_the_store_does_not_answer_graph_is_asked_to_come_again) {
  const std::string body =
      value_of({notice("sub-a", "state of a", "m1"), lifecycle("sub-a", "state of a", "missed")});
  for (const auto member :
       {&FakeMailboxes::lookup_error, &FakeMailboxes::add_error, &FakeMailboxes::want_error})
    for (const ErrorKind kind : {ErrorKind::unavailable, ErrorKind::ambiguous}) {
      mailboxes.*member = kind;
      const NotificationAnswer answer = post(body);
      ASSERT_FALSE(answer);
      const HttpResponse response = to_response(answer.error(), {"/webhooks/graph", ""});
      EXPECT_EQ(response.status, 503);
      EXPECT_THAT(response.headers, ElementsAre(::testing::Pair("Retry-After", "5")));
      (mailboxes.*member).reset();
    }
  EXPECT_THAT(told, IsEmpty());
  expect_accepted(post(body));
  EXPECT_THAT(told, ElementsAre("a@x.org resync"))
      << "the message is known from the try that failed after it";
}

}  // namespace
}  // namespace eilbote::test::graph_notifications_test
