// Who is told of due jobs, and the ledger of an instance that delivers nothing.
#include "engine/due_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/api_world.h"

namespace eilbote::test::engine_due_news_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Told {
  std::size_t lanes, all;
  int others;
  friend bool operator==(const Told&, const Told&) = default;
};

class World {
 public:
  explicit World(bool takes_here) : news(*ledger, &publisher, transport, takes_here) {}
  Told told() const { return {publisher.woken, publisher.woken_all, transport.announced}; }

  std::unique_ptr<Ledger> ledger = make_idle_ledger("scheduler");
  PublisherByHand publisher;
  SilentTransport transport;
  DueNews news;
};

const LaneId kLanes[] = {LaneId{1}, LaneId{2}};

TEST(DueNews, new_work_is_told_here_and_to_the_others) {
  World world(true);
  world.news.everywhere(kLanes);
  EXPECT_EQ(world.told(), (Told{2, 0, 1}));
}

TEST(DueNews, a_little_work_stays_here_where_it_is_taken) {
  World world(true);
  world.news.nearby(kLanes);
  EXPECT_EQ(world.told(), (Told{2, 0, 0}));
  world.news.somewhere();
  EXPECT_EQ(world.told(), (Told{2, 1, 0}));
}

TEST(DueNews, where_nobody_takes_it_the_others_are_told_of_everything) {
  World world(false);
  world.news.nearby(kLanes);
  EXPECT_EQ(world.told(), (Told{2, 0, 1}));
  world.news.somewhere();
  EXPECT_EQ(world.told(), (Told{2, 1, 2}));
}

TEST(DueNews, what_others_said_is_not_told_again) {
  World world(false);
  world.news.look();
  EXPECT_EQ(world.told(), (Told{0, 1, 0}));
}

TEST(DueNews, after_its_end_nobody_is_told) {
  World world(false);
  world.news.end();
  world.news.everywhere(kLanes);
  world.news.nearby(kLanes);
  world.news.somewhere();
  world.news.look();
  EXPECT_EQ(world.told(), (Told{0, 0, 0}));
}

TEST(IdleLedger, holds_nothing_and_sends_whoever_asks_to_a_worker) {
  const auto ledger = make_idle_ledger("api");
  ledger->start();
  EXPECT_THAT(ledger->breakers(), IsEmpty());
  EXPECT_THAT(ledger->held_webhooks(), IsEmpty());
  EXPECT_FALSE(ledger->holds({JobId{1}, LeaseToken{1}}));
  EXPECT_FALSE(ledger->reset_breaker("smtp"));
  std::optional<Result<DispatchReport>> report;
  ledger->dispatch({}, [&](Result<DispatchReport> given) { report = std::move(given); });
  ASSERT_TRUE(report.has_value()) << "it has no thread to answer from later";
  ASSERT_FALSE(report->has_value());
  EXPECT_THAT(report->error().message, HasSubstr("role api"));
  EXPECT_THAT(report->error().message, HasSubstr("worker"));
  EXPECT_EQ(ledger->held_back({}), report->error().message);
  ledger->stop(Duration{0});
}

}  // namespace
}  // namespace eilbote::test::engine_due_news_test
