// The life of a mailbox's subscription: made, renewed, made anew, removed; what is on record before Graph is asked, and what a
// failure in between leaves.
#include "channel/graph_subscriptions.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "support/watch_fakes.h"

namespace eilbote::test::graph_subscriptions_test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr const char* kMailbox = "shop@example.org";
constexpr const char* kUrl = "https://mail.example.org/webhooks/graph";

struct World {
  World() {
    options.notification_url = kUrl;
    options.subscription_life = 1000min;
    options.poll_every = 5min;
    WatchedMailbox row;
    row.mailbox = kMailbox;
    store.set(row);
    mailbox.row = row;
    mailbox.poll.never();
    door.answer = [this](const GraphCall& call) { return graph(call); };
  }

  // A tenant with at most one subscription.
  GraphAnswer graph(const GraphCall& call) {
    if (refuse_with.status != 0) return refuse_with;
    if (call.method == "POST") {
      if (!existing.empty()) return door_answer(409, "", "Conflict");
      posted = json::parse(call.body).as_object();
      existing = "sub-" + std::to_string(++made);
      url = std::string(posted.at("notificationUrl").as_string());
      return door_answer(201, described());
    }
    if (call.method == "GET")
      return door_answer(200, R"({"value":[)" + (existing.empty() ? "" : described()) + "]}");
    if (call.path != "/subscriptions/" + existing) return door_answer(404, "", "ResourceNotFound");
    if (call.method == "PATCH") {
      ends = std::string(json::parse(call.body).at("expirationDateTime").as_string());
      return door_answer(200, described());
    }
    existing.clear();
    return door_answer(204);
  }
  std::string described() const {
    return json::serialize(
        json::object{{"id", existing},
                     {"resource", "users/shop@example.org/mailFolders('inbox')/messages"},
                     {"notificationUrl", url},
                     {"expirationDateTime", ends.empty() ? to_rfc3339(clock.now() + 1000min) : ends}});
  }
  void tend() { subscriptions.tend(mailbox, stop.get_token()); }
  // As the watch learns of what the notifier wants.
  void want(GraphLifecycle wish) {
    ASSERT_TRUE(store.want(kMailbox, wish));
    mailbox.row = store.row(kMailbox);
  }
  bool is_due_in(Duration wait) const { return mailbox.subscription.due == clock.steady_now() + wait; }

  FakeClock clock;
  WatchJournal journal;
  GraphOptions options;
  AnsweringDoor door{journal};
  MemoryMailboxWatch store{journal};
  KeptMailbox mailbox{WatchedMailbox{}};
  GraphSubscriptions subscriptions{options, door, store, clock};
  std::stop_source stop;

  GraphAnswer refuse_with;
  std::string existing, url, ends;
  json::object posted;
  int made = 0;
};

TEST(GraphSubscriptions, the_secret_is_on_record_before_graph_is_asked_and_the_id_right_after) {
  World world;
  world.tend();
  EXPECT_EQ(world.journal.lines(),
            (std::vector<std::string>{"save subscription= state=set link=", "POST /subscriptions",
                                      "save subscription=sub-1 state=set link="}));
  const WatchedMailbox row = world.store.row(kMailbox);
  EXPECT_EQ(row.client_state.size(), 64U);
  EXPECT_EQ(row.subscription_ends, world.clock.now() + 1000min);
  EXPECT_EQ(world.posted.at("clientState"), json::string(row.client_state));
  EXPECT_EQ(world.posted.at("changeType"), "created");
  EXPECT_EQ(world.posted.at("resource"), "users/shop@example.org/mailFolders('inbox')/messages");
  EXPECT_EQ(world.posted.at("notificationUrl"), kUrl);
  EXPECT_EQ(world.posted.at("lifecycleNotificationUrl"), kUrl);
  EXPECT_EQ(world.posted.at("latestSupportedTlsVersion"), "v1_2");
  EXPECT_EQ(world.posted.at("expirationDateTime"), json::string(to_rfc3339(world.clock.now() + 1000min)));
  EXPECT_TRUE(world.is_due_in(500min)) << "renewed at half of its life";
  EXPECT_TRUE(world.mailbox.poll.is_due(world.clock.steady_now())) << "what came before it is told by nobody";
}

TEST(GraphSubscriptions, nothing_is_asked_for_when_the_secret_cannot_be_written_down) {
  World world;
  world.store.fail_next("save");
  world.tend();
  EXPECT_EQ(world.journal.count("POST"), 0U);
  EXPECT_TRUE(world.is_due_in(10s));
}

TEST(GraphSubscriptions, is_renewed_with_a_patch) {
  World world;
  world.tend();
  world.clock.advance(500min);
  world.journal.clear();
  world.tend();
  EXPECT_EQ(world.journal.lines(), (std::vector<std::string>{"PATCH /subscriptions/sub-1",
                                                             "save subscription=sub-1 state=set link="}));
  EXPECT_EQ(world.store.row(kMailbox).subscription_ends, world.clock.now() + 1000min);
  EXPECT_TRUE(world.is_due_in(500min));
}

TEST(GraphSubscriptions, is_made_anew_when_graph_does_not_know_it_or_its_time_is_over) {
  for (const bool expired : {false, true}) {
    World world;
    world.tend();
    const std::string secret = world.store.row(kMailbox).client_state;
    world.existing.clear();
    if (expired) world.clock.advance(2000min);
    world.mailbox.poll.never();
    world.tend();
    const WatchedMailbox row = world.store.row(kMailbox);
    EXPECT_EQ(row.subscription_id, "sub-2");
    EXPECT_NE(row.client_state, secret);
    EXPECT_EQ(world.journal.count("PATCH"), expired ? 0U : 1U);
    EXPECT_TRUE(world.mailbox.poll.is_due(world.clock.steady_now()));
  }
}

TEST(GraphSubscriptions, does_what_the_notifier_wants_and_forgets_the_wish_only_then) {
  World world;
  world.tend();
  world.want(GraphLifecycle::renew);
  world.refuse_with = door_answer(503);
  world.tend();
  EXPECT_EQ(world.store.row(kMailbox).wants, GraphLifecycle::renew) << "not done yet";
  world.refuse_with = {};
  world.tend();
  EXPECT_EQ(world.store.row(kMailbox).wants, std::nullopt);
  EXPECT_EQ(world.made, 1);

  world.want(GraphLifecycle::create);
  world.existing.clear();
  world.refuse_with = door_answer(503);
  world.tend();
  EXPECT_EQ(world.store.row(kMailbox).wants, GraphLifecycle::create)
      << "a new secret is not a new subscription";
  world.refuse_with = {};
  world.tend();
  EXPECT_EQ(world.store.row(kMailbox).wants, std::nullopt);
  EXPECT_EQ(world.store.row(kMailbox).subscription_id, "sub-2");

  world.want(GraphLifecycle::resync);
  world.tend();
  EXPECT_EQ(world.store.row(kMailbox).wants, GraphLifecycle::resync) << "that is the poll's";
}

// A crash, or a database that is away, right after Graph has made it: nobody knows its id, and it is in the way.
TEST(GraphSubscriptions, one_that_nobody_knows_is_removed_and_made_again) {
  World world;
  world.existing = "lost";
  world.url = kUrl;
  world.tend();
  EXPECT_EQ(world.journal.lines(),
            (std::vector<std::string>{"save subscription= state=set link=", "POST /subscriptions",
                                      "GET /subscriptions", "DELETE /subscriptions/lost",
                                      "POST /subscriptions", "save subscription=sub-1 state=set link="}));
}

TEST(GraphSubscriptions, another_installations_subscription_is_left_alone) {
  World world;
  world.existing = "theirs";
  world.url = "https://other.example.org/webhooks/graph";
  world.tend();
  EXPECT_EQ(world.journal.count("DELETE"), 0U);
  EXPECT_EQ(world.existing, "theirs");
  EXPECT_EQ(world.mailbox.subscription.trouble, "409 Conflict");
  EXPECT_TRUE(world.is_due_in(10s));
}

TEST(GraphSubscriptions, a_changed_address_makes_a_new_one) {
  World world;
  world.tend();
  world.url = "https://old.example.org/webhooks/graph";
  world.journal.clear();
  world.tend();
  EXPECT_EQ(world.journal.count("DELETE /subscriptions/sub-1"), 1U);
  EXPECT_EQ(world.store.row(kMailbox).subscription_id, "sub-2");
}

TEST(GraphSubscriptions, without_an_address_an_old_one_is_removed) {
  World world;
  world.tend();
  world.options.notification_url.clear();
  world.tend();
  EXPECT_EQ(world.existing, "");
  EXPECT_EQ(world.store.row(kMailbox).subscription_id, "");
  EXPECT_EQ(world.mailbox.subscription.due, Clock::Steady::max());
}

TEST(GraphSubscriptions, failures_are_tried_again_ever_more_rarely_and_when_graph_says) {
  World world;
  world.refuse_with = door_answer(403, "", "ErrorAccessDenied");
  for (const Duration wait : {Duration(10s), Duration(20s), Duration(40s)}) {
    world.tend();
    EXPECT_TRUE(world.is_due_in(wait));
  }
  world.refuse_with = door_answer(429, "", "TooManyRequests");
  world.refuse_with.retry_after = 10min;
  world.tend();
  EXPECT_TRUE(world.is_due_in(10min));
  EXPECT_EQ(world.mailbox.subscription.trouble, "429 TooManyRequests");
  world.refuse_with = {};
  world.tend();
  EXPECT_EQ(world.mailbox.subscription.trouble, "");
  EXPECT_EQ(world.mailbox.subscription.failures, 0);
  EXPECT_EQ(pause_after(100), Duration(1h));
}

TEST(GraphSubscriptions, a_stop_while_graph_is_silent_is_prompt_and_leaves_the_secret) {
  World world;
  world.door.answer = [&](const GraphCall&) {
    world.stop.request_stop();
    return std::nullopt;
  };
  world.tend();
  EXPECT_EQ(world.store.row(kMailbox).subscription_id, "");
  EXPECT_EQ(world.store.row(kMailbox).client_state.size(), 64U);
}

}  // namespace
}  // namespace eilbote::test::graph_subscriptions_test
