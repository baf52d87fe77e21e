// The overview's picture: what it takes from pools, machine and broker, and what it does while the database is away.
#include "engine/overview_desk.h"

#include <gtest/gtest.h>

#include <limits>

#include "engine/idle_ledger.h"
#include "metrics/metrics.h"
#include "support/fake_registry.h"
#include "support/lively_care.h"
#include "support/memory_breaker_board.h"
#include "support/memory_overview_book.h"

namespace eilbote::test::overview_desk_test {
namespace {

using namespace std::chrono_literals;

class OverviewDeskTest : public testing::Test {
 protected:
  Overview look() { return desk_.look(false).value(); }

  FakeClock clock_;
  Metrics metrics_;
  MemoryOverviewBook book_{clock_};
  FakeRegistry registry_;
  PoolList pools_{registry_};
  std::unique_ptr<Ledger> ledger_ = make_idle_ledger("api");
  FlowBook flow_{book_, metrics_, clock_};
  LivelyCare care_;
  Instance instance_{care_, clock_, "this", 15s};
  MemoryBreakerBoard board_;
  BreakerDesk breakers_{board_, *ledger_, instance_, clock_, "one"};
  TransportState broker_{true, ""};
  OverviewDesk desk_{{book_, flow_, breakers_, pools_, metrics_, clock_, [this] { return broker_; }, "one",
                      "1.2.3", "sqlite"}};
};

TEST_F(OverviewDeskTest, a_pool_has_its_limits_and_what_is_under_way_here) {
  Pool pool;
  pool.code = "slow";
  pool.status = PoolStatus::SUSPENDED;
  pool.concurrency = 3;
  pool.rate_limit_per_minute = 60;
  registry_.all_pools.push_back({1, pool, {}});
  ASSERT_TRUE(pools_.refresh());
  metrics_.set(Metric::in_flight, 2, {"slow"});
  metrics_.set(Metric::in_flight, 9, {"mail"});
  book_.standing_now.pools.resize(2);
  book_.standing_now.pools[0].pool = "slow";
  book_.standing_now.pools[1].pool = "gone";
  const auto pools = look().pools;
  ASSERT_EQ(pools.size(), 2U);
  EXPECT_EQ(pools[0].status, PoolStatus::SUSPENDED);
  EXPECT_EQ(pools[0].concurrency, 3);
  EXPECT_EQ(pools[0].rate_limit_per_minute, 60);
  EXPECT_EQ(pools[0].in_flight, 2);
  EXPECT_EQ(pools[1].concurrency, std::nullopt) << "nobody knows its limits any more";
  EXPECT_EQ(pools[1].in_flight, 0);
}

TEST_F(OverviewDeskTest, what_is_not_measured_of_the_machine_is_absent) {
  const MachineState machine = look().machine;
  EXPECT_EQ(machine.clock_skew, Duration{0});
  EXPECT_EQ(machine.disk_free, std::nullopt);
  EXPECT_EQ(machine.certificate_ends, std::nullopt);
  EXPECT_TRUE(machine.credentials_end.empty());
}

TEST_F(OverviewDeskTest, the_machine_is_what_its_gauges_say) {
  metrics_.set(Metric::clock_skew, -1.5);
  metrics_.set(Metric::data_disk_free, 25);
  metrics_.set(Metric::data_disk_size, 100);
  metrics_.set(Metric::tls_certificate_expires, 1'800'000'000);
  metrics_.set(Metric::credential_expires, 1'900'000'000, {"graph_certificate"});
  metrics_.set(Metric::credential_expires, std::numeric_limits<double>::infinity(), {"vault_token"});
  const MachineState machine = look().machine;
  EXPECT_EQ(machine.clock_skew, -1500ms);
  EXPECT_EQ(machine.disk_free, 0.25);
  EXPECT_EQ(machine.certificate_ends, TimePoint{1'800'000'000s});
  ASSERT_EQ(machine.credentials_end.size(), 1U) << "the other one never ends";
  EXPECT_EQ(machine.credentials_end[0],
            std::pair(std::string("graph_certificate"), TimePoint{1'900'000'000s}));
}

TEST_F(OverviewDeskTest, a_broker_says_why_it_is_away_or_gives_nothing) {
  broker_ = {true, "", false, "the queue is gone"};
  EXPECT_TRUE(look().broker->connected);
  EXPECT_FALSE(look().broker->receiving);
  EXPECT_EQ(look().broker->detail, "the queue is gone");
  broker_ = {false, "connection refused", false, "no connection"};
  EXPECT_FALSE(look().broker->connected);
  EXPECT_EQ(look().broker->detail, "connection refused");
}

TEST_F(OverviewDeskTest, an_error_of_the_database_leaves_no_half_a_picture) {
  book_.away = true;
  EXPECT_EQ(desk_.look(true).error().kind, ErrorKind::unavailable);
  book_.away = false;
  care_.peers = 1;
  ASSERT_TRUE(instance_.begin() && instance_.beat());
  board_.away = true;
  EXPECT_EQ(desk_.look(true).error().kind, ErrorKind::unavailable) << "the breakers of the others";
  board_.away = false;
  EXPECT_TRUE(desk_.look(true));
}

}  // namespace
}  // namespace eilbote::test::overview_desk_test
