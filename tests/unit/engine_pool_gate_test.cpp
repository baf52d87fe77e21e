// The pool gate: rate, concurrency, homes.
#include "engine/pool_gate.h"

#include <gtest/gtest.h>

namespace eilbote {
namespace {

using namespace std::chrono_literals;
const Clock::Steady kStart{1000s};

Pool pool(const std::string& code, int concurrency, std::optional<int> rate = {}, int burst = 1) {
  Pool made;
  made.code = code;
  made.concurrency = concurrency;
  made.rate_limit_per_minute = rate;
  made.burst = burst;
  made.limited = rate.has_value();
  return made;
}

TEST(PoolGate, ConcurrencyHolds) {
  PoolGate gate({pool("mail", 3)}, kStart);
  EXPECT_EQ(gate.room("mail", kStart), 3);
  gate.started("mail", 2);
  EXPECT_EQ(gate.room("mail", kStart), 1);
  gate.finished("mail");
  EXPECT_EQ(gate.room("mail", kStart), 2);
}

TEST(PoolGate, UnknownPoolsHaveNoRoom) {
  PoolGate gate({pool("mail", 3)}, kStart);
  EXPECT_EQ(gate.room("other", kStart), 0);
}

TEST(PoolGate, SuspendedPoolsHaveNoRoom) {
  Pool suspended = pool("mail", 3);
  suspended.status = PoolStatus::SUSPENDED;
  PoolGate gate({suspended}, kStart);
  EXPECT_EQ(gate.room("mail", kStart), 0);
}

TEST(PoolGate, ALimitedPoolWorksOnlyAtItsHome) {
  PoolGate gate({pool("slow", 10, 600, 5)}, kStart);
  EXPECT_EQ(gate.room("slow", kStart + 10s), 0);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  EXPECT_EQ(gate.room("slow", kStart), 0) << "a new home starts with an empty bucket";
  EXPECT_EQ(gate.room("slow", kStart + 100ms), 1);
  gate.set_homes({}, kStart + 1s);
  EXPECT_EQ(gate.room("slow", kStart + 1s), 0);
}

TEST(PoolGate, RateHoldsOverAMinute) {
  PoolGate gate({pool("slow", 1000, 60, 10)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  int started = 0;
  for (auto at = kStart; at <= kStart + 60s; at += 10ms) {
    const int n = gate.room("slow", at);
    gate.started("slow", n);
    started += n;
  }
  EXPECT_GE(started, 59);
  EXPECT_LE(started, 60);
}

TEST(PoolGate, AnIdlePoolSavesUpNoMoreThanItsBurst) {
  PoolGate gate({pool("slow", 1000, 60, 10)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  EXPECT_EQ(gate.room("slow", kStart + 1h), 10);
}

TEST(PoolGate, SaysWhenTheNextTokenComes) {
  PoolGate gate({pool("slow", 10, 60)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  EXPECT_EQ(gate.next_token(kStart), kStart + 1s);
  EXPECT_EQ(gate.room("slow", kStart + 1s), 1);
}

}  // namespace
}  // namespace eilbote
