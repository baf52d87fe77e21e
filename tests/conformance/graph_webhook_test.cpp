// Notifications of Graph against a real store: what was answered with 202 is there after a restart, once, however often and in
// whatever order it is told; and a large POST is answered in time.
#include <gmock/gmock.h>

#include "api/graph_notifications.h"
#include "support/metric_value.h"
#include "support/outbox_fixture.h"

namespace eilbote::test::graph_webhook_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class GraphWebhook : public StoreFixture {
 protected:
  void subscribe(const std::string& mailbox, const std::string& subscription) {
    WatchedMailbox row;
    row.mailbox = mailbox;
    row.subscription_id = subscription;
    row.client_state = "state of " + subscription;
    must(mailboxes().save(row));
  }
  static std::string item(const std::string& subscription, const std::string& message) {
    return R"({"subscriptionId":")" + subscription + R"(","clientState":"state of )" + subscription +
           R"(","changeType":"created","resourceData":{"id":")" + message + R"("}})";
  }
  static std::string lifecycle(const std::string& subscription, const std::string& event) {
    return R"({"subscriptionId":")" + subscription + R"(","clientState":"state of )" + subscription +
           R"(","lifecycleEvent":")" + event + R"("})";
  }
  int post(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& one : items)
      all += (all.empty() ? "" : ",") + one;
    const NotificationAnswer answer =
        take_graph_notifications(R"({"value":[)" + all + "]}", "", mailboxes(), metrics_, settings_);
    return answer ? answer->status : answer.error().status();
  }
  std::vector<std::string> waiting() {
    std::vector<std::string> all;
    const std::vector<std::string> names{"a@x.org", "b@x.org"};
    for (const MailNotice& notice : must(mailboxes().waiting(names, 5000)))
      all.push_back(notice.mailbox + " " + notice.message_id);
    return all;
  }

  Metrics metrics_;
  ApiSettings settings_;
};
INSTANTIATE_TEST_SUITE_P(Stores, GraphWebhook, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(GraphWebhook, WhatWasAnsweredIsThereAfterARestartOnce) {
  subscribe("a@x.org", "sub-a");
  subscribe("b@x.org", "sub-b");
  EXPECT_EQ(post({item("sub-a", "m1"), item("sub-b", "m1"), item("sub-a", "m2")}), 202);
  reopen();
  EXPECT_EQ(post({item("sub-a", "m2"), item("sub-a", "m1")}), 202) << "again, in another order";
  EXPECT_THAT(waiting(), UnorderedElementsAre("a@x.org m1", "a@x.org m2", "b@x.org m1"));
}

TEST_P(GraphWebhook, WhatIsAskedForSurvivesARestart) {
  subscribe("a@x.org", "sub-a");
  EXPECT_EQ(post({lifecycle("sub-a", "missed"), lifecycle("sub-a", "subscriptionRemoved"),
                  lifecycle("sub-a", "reauthorizationRequired")}),
            202);
  reopen();
  const std::vector<std::string> ids{"sub-a"};
  EXPECT_EQ(must(mailboxes().with_subscriptions(ids)).at(0).wants, GraphLifecycle::create);
}

TEST_P(GraphWebhook, ANewSubscriptionTakesThePlaceOfTheOldOne) {
  subscribe("a@x.org", "sub-old");
  subscribe("a@x.org", "sub-new");
  EXPECT_EQ(post({item("sub-old", "m1"), item("sub-new", "m2")}), 202);
  EXPECT_THAT(waiting(), ElementsAre("a@x.org m2"));
  EXPECT_EQ(metric_value(metrics_, "eilbote_graph_notifications_total{outcome=\"refused\"}"), 1);
}

// Graph waits three seconds, and slows down for those who often need them.
TEST_P(GraphWebhook, AThousandItemsAreAnsweredInTime) {
  subscribe("a@x.org", "sub-a");
  subscribe("b@x.org", "sub-b");
  std::vector<std::string> items;
  for (int i = 0; i < 1000; ++i)
    items.push_back(item(i % 2 == 0 ? "sub-a" : "sub-b", "message-" + std::to_string(i)));
  const auto started = std::chrono::steady_clock::now();
  EXPECT_EQ(post(items), 202);
  EXPECT_LT(std::chrono::steady_clock::now() - started, seconds{1});
  EXPECT_EQ(waiting().size(), 1000U);
}

}  // namespace
}  // namespace eilbote::test::graph_webhook_test
