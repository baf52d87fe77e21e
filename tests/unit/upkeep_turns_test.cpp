// Upkeep turn by turn, without its thread: chores at their pace, and sweeps that never end.
#include <gtest/gtest.h>

#include "engine/upkeep.h"
#include "metrics/metrics.h"
#include "support/lively_care.h"

namespace eilbote::test::upkeep_turns_test {
namespace {

using namespace std::chrono_literals;

class UpkeepTurns : public testing::Test {
 protected:
  UpkeepTurns() {
    if (!instance_.begin()) throw std::runtime_error("no epoch");
  }
  void make(UpkeepOptions options) {
    upkeep_ =
        make_upkeep(care_, instance_, clock_, metrics_, std::move(options), [](std::span<const LaneId>) {});
  }

  FakeClock clock_;
  LivelyCare care_;
  Metrics metrics_;
  Instance instance_{care_, clock_, "one", 15s};
  std::unique_ptr<Upkeep> upkeep_;
};

TEST_F(UpkeepTurns, chores_are_done_at_their_pace_also_when_they_fail) {
  int often = 0, seldom = 0;
  UpkeepOptions options;
  options.chores = {{"often", 100ms,
                     [&]() -> Result<void> {
                       ++often;
                       return fail(ErrorKind::unavailable, "as the test says");
                     }},
                    {"seldom", 10s, [&]() -> Result<void> { return ++seldom, Result<void>(); }}};
  make(std::move(options));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(upkeep_->turn({}), clock_.steady_now() + 100ms) << "the next thing there is to do";
    clock_.advance(100ms);
  }
  EXPECT_EQ(often, 10);
  EXPECT_EQ(seldom, 1);
  clock_.advance(99ms);
  upkeep_->turn({});
  clock_.advance(1h);
  upkeep_->turn({});
  EXPECT_EQ(seldom, 2) << "once, however long it was not asked";
}

TEST_F(UpkeepTurns, a_sweep_without_end_lets_the_others_have_their_turn) {
  care_.sweeps_without_end = true;
  make({});
  EXPECT_LE(upkeep_->turn({}), clock_.steady_now()) << "there is more to do at once";
  EXPECT_EQ(care_.sweeps, 9 * 20) << "nine sweeps, so many batches of each";
  upkeep_->turn({});
  EXPECT_EQ(care_.sweeps, 2 * 9 * 20);
  care_.sweeps_without_end = false;
  EXPECT_GT(upkeep_->turn({}), clock_.steady_now());
}

}  // namespace
}  // namespace eilbote::test::upkeep_turns_test
