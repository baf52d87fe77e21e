// The Graph watch as a whole, with its thread: it takes up its mailboxes, is woken by what comes in, and ends promptly.
#include "channel/graph_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/watch_fakes.h"

namespace eilbote::test::graph_watch_test {
namespace {

using namespace std::chrono_literals;

const std::string kListed = "shop@example.org", kSeen = "billing@example.org";

// A tenant in which everything works, and one bounce lies in every inbox.
struct World {
  World() {
    options.senders = {"Shop@example.org", "*@example.org"};
    options.notification_url = "https://mail.example.org/webhooks/graph";
    options.poll_every = 5min;
    door.answer = [this](const GraphCall& call) -> std::optional<GraphAnswer> {
      if (is_silent) return std::nullopt;
      if (call.path == "/subscriptions")
        return door_answer(201, R"({"id":"sub","expirationDateTime":"2030-01-01T00:00:00Z"})");
      if (call.method == "PATCH") return door_answer(200, "{}");
      if (call.path.find("/delta") != std::string::npos)
        return door_answer(200, R"({"value":[{"id":"ndr"}],"@odata.deltaLink":"https://graph/end"})");
      if (call.path == "https://graph/end")
        return door_answer(200, R"({"value":[],"@odata.deltaLink":"https://graph/end"})");
      if (call.path.ends_with("/$value")) return door_answer(200, "a bounce");
      return door_answer(
          200,
          R"({"id":"x","singleValueExtendedProperties":[{"id":"String 0x001A","value":"REPORT.IPM.Note.NDR"}]})");
    };
  }
  std::unique_ptr<GraphWatch> watch() {
    return make_graph_watch(options, {door, store, metrics, clock, [] { return Epoch{1}; },
                                      [this](std::string_view, const std::string&) -> Result<void> {
                                        ++taken;
                                        return {};
                                      },
                                      [](const DeliveryReport&) -> Result<void> { return {}; }});
  }
  void notice(const std::string& mailbox, const std::string& id) {
    MailNotice notice;
    notice.mailbox = mailbox;
    notice.message_id = id;
    ASSERT_TRUE(store.add(std::span(&notice, 1)));
  }

  SystemClock clock;
  WatchJournal journal;
  Metrics metrics;
  GraphOptions options;
  AnsweringDoor door{journal};
  MemoryMailboxWatch store{journal};
  std::atomic<int> taken{0};
  std::atomic<bool> is_silent{false};
};

TEST(GraphWatch, takes_up_listed_mailboxes_and_those_seen_sending) {
  World world;
  const auto watch = world.watch();
  watch->start();
  EXPECT_TRUE(eventually([&] { return world.taken == 1; })) << "the poll at the start finds the bounce";
  EXPECT_EQ(world.store.row(kListed).subscription_id, "sub");
  watch->in_use("Billing@example.org");
  EXPECT_TRUE(eventually([&] { return world.taken == 2; }));
  EXPECT_EQ(world.store.row(kSeen).subscription_id, "sub");
  EXPECT_EQ(world.store.row("*@example.org").mailbox, "") << "a pattern is no mailbox";
  EXPECT_EQ(metric_value(world.metrics, "eilbote_graph_subscriptions{state=\"active\"}"), 2);
  EXPECT_EQ(metric_value(world.metrics, "eilbote_graph_subscriptions{state=\"missing\"}"), 0);
}

TEST(GraphWatch, goes_on_with_mailboxes_that_were_seen_before_a_restart) {
  World world;
  WatchedMailbox row;
  row.mailbox = kSeen;
  world.store.set(row);
  const auto watch = world.watch();
  watch->start();
  EXPECT_TRUE(eventually([&] { return world.taken == 2; }));
  EXPECT_EQ(world.store.row(kSeen).delta_link, "https://graph/end");
}

TEST(GraphWatch, is_woken_by_notices_and_by_what_the_notifier_wants) {
  World world;
  const auto watch = world.watch();
  watch->start();
  ASSERT_TRUE(eventually([&] { return world.taken == 1; }));
  world.notice(kListed, "another");
  watch->wake();
  EXPECT_TRUE(eventually([&] { return world.taken == 2; }, 5s))
      << "not only at the next look, ten seconds later";

  const std::size_t patches = world.journal.count("PATCH"),
                    polls = world.journal.count("GET https://graph/end");
  ASSERT_TRUE(world.store.want(kListed, GraphLifecycle::renew));
  watch->wake();
  EXPECT_TRUE(eventually([&] { return world.journal.count("PATCH") == patches + 1; }, 8s));
  EXPECT_TRUE(eventually([&] { return !world.store.row(kListed).wants; }));
  ASSERT_TRUE(world.store.want(kListed, GraphLifecycle::resync));
  watch->wake();
  EXPECT_TRUE(eventually([&] { return world.journal.count("GET https://graph/end") > polls; }, 8s));
  EXPECT_TRUE(eventually([&] { return !world.store.row(kListed).wants; }));
}

TEST(GraphWatch, goes_on_after_a_database_that_was_away) {
  World world;
  world.store.fail_next("keep", 1);
  world.store.fail_next("waiting", 1);
  const auto watch = world.watch();
  watch->start();
  EXPECT_TRUE(eventually([&] { return world.taken == 1; }));
}

TEST(GraphWatch, ends_promptly_while_graph_is_silent) {
  World world;
  world.is_silent = true;
  const auto watch = world.watch();
  watch->start();
  ASSERT_TRUE(eventually([&] { return world.journal.count("POST /subscriptions") == 1; }));
  const auto began = std::chrono::steady_clock::now();
  watch->stop();
  watch->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
}

TEST(GraphWatch, asks_nothing_when_nothing_is_to_be_watched) {
  World world;
  world.options.notification_url.clear();
  world.options.poll_every = 0s;
  const auto watch = world.watch();
  watch->start();
  watch->wake();
  watch->stop();
  EXPECT_TRUE(world.journal.lines().empty());
}

TEST(GraphWatch, may_be_started_used_and_ended_many_times) {
  World world;
  for (int life = 0; life < 30; ++life) {
    const auto watch = world.watch();
    if (life % 3 != 0) watch->start();
    std::jthread one([&] { watch->wake(); });
    std::jthread two([&] { watch->in_use("a" + std::to_string(life) + "@example.org"); });
    if (life % 2 == 0) watch->stop();
  }
}

}  // namespace
}  // namespace eilbote::test::graph_watch_test
