// What upkeep shows of an instance and its database: who else is alive, whether it may deliver, how far the clocks are apart.
#include <gtest/gtest.h>

#include "engine/upkeep.h"
#include "metrics/metrics.h"
#include "support/eventually.h"
#include "support/lively_care.h"
#include "support/metric_value.h"

namespace eilbote::test::upkeep_gauges_test {
namespace {

using namespace std::chrono_literals;

class UpkeepGauges : public testing::Test {
 protected:
  // Until it has been round once: the stats are the last it does.
  void run_once(UpkeepOptions options = {}) {
    must_begin();
    const auto upkeep =
        make_upkeep(care_, instance_, clock_, metrics_, std::move(options), [](std::span<const LaneId>) {});
    upkeep->start();
    EXPECT_TRUE(eventually([&] { return value("eilbote_clock_skew_seconds").has_value(); }));
    upkeep->stop();
  }
  void must_begin() { ASSERT_TRUE(instance_.begin()); }
  std::optional<double> value(const std::string& line) const { return metric_value(metrics_, line); }

  FakeClock clock_;
  LivelyCare care_;
  Metrics metrics_;
  Instance instance_{care_, clock_, "one", 15s};
};

TEST_F(UpkeepGauges, count_this_instance_and_its_peers) {
  care_.peers = 2;
  run_once();
  EXPECT_EQ(value("eilbote_instances"), 3);
}

TEST_F(UpkeepGauges, say_who_delivers) {
  run_once();
  EXPECT_EQ(value("eilbote_delivers"), 1);
}

TEST_F(UpkeepGauges, say_that_a_role_without_ways_out_does_not_deliver) {
  UpkeepOptions options;
  options.leaves_mails = true;
  run_once(std::move(options));
  EXPECT_EQ(value("eilbote_delivers"), 0);
}

TEST_F(UpkeepGauges, show_how_far_the_databases_clock_is_away) {
  care_.now = clock_.now() - 42s;
  run_once();
  EXPECT_EQ(value("eilbote_clock_skew_seconds"), 42);
}

}  // namespace
}  // namespace eilbote::test::upkeep_gauges_test
