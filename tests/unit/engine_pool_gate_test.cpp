// The pool gate: rate, concurrency, homes, and what people change while it works.
#include "engine/pool_gate.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "support/test_seed.h"

namespace eilbote::engine_pool_gate_test {
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

TEST(PoolGate, ATokenThatIsThereIsNothingToWaitFor) {
  PoolGate gate({pool("slow", 10, 60)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  EXPECT_FALSE(gate.next_token(kStart + 5s)) << "nobody took it; a ledger that waited for it would spin";
}

TEST(PoolGate, OnlyAPoolThatWaitsForItsRateHasANextToken) {
  PoolGate gate({pool("slow", 1, 60)}, kStart);
  EXPECT_FALSE(gate.next_token(kStart)) << "its home is elsewhere";
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  gate.started("slow", 1);
  EXPECT_FALSE(gate.next_token(kStart)) << "concurrency holds it back";
  gate.finished("slow");
  EXPECT_TRUE(gate.next_token(kStart));
  Pool suspended = pool("slow", 1, 60);
  suspended.status = PoolStatus::SUSPENDED;
  gate.learn(std::vector{suspended}, kStart);
  EXPECT_FALSE(gate.next_token(kStart));
}

TEST(PoolGate, LearnsNewPoolsAndKeepsThoseNoLongerNamed) {
  PoolGate gate({pool("mail", 3)}, kStart);
  gate.learn(std::vector{pool("new", 5)}, kStart);
  EXPECT_EQ(gate.room("new", kStart), 5);
  EXPECT_EQ(gate.room("mail", kStart), 3);
}

TEST(PoolGate, WhatRunsInAPoolBeforeItIsLearntIsCounted) {
  PoolGate gate({}, kStart);
  gate.started("new", 2);
  EXPECT_EQ(gate.room("new", kStart), 0);
  gate.learn(std::vector{pool("new", 5)}, kStart);
  EXPECT_EQ(gate.room("new", kStart), 3);
  gate.finished("new");
  gate.finished("new");
  EXPECT_EQ(gate.room("new", kStart), 5);
}

TEST(PoolGate, LowerConcurrencyStartsNothingUntilEnoughHasFinished) {
  PoolGate gate({pool("mail", 10)}, kStart);
  gate.started("mail", 8);
  gate.learn(std::vector{pool("mail", 3)}, kStart);
  for (int open = 8; open > 3; --open) {
    EXPECT_EQ(gate.room("mail", kStart), 0) << open;
    gate.finished("mail");
  }
  EXPECT_EQ(gate.room("mail", kStart), 0);
  gate.finished("mail");
  EXPECT_EQ(gate.room("mail", kStart), 1);
}

TEST(PoolGate, AnotherRateKeepsWhatWasSavedUpToTheNewBurst) {
  PoolGate gate({pool("slow", 1000, 60, 10)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  gate.learn(std::vector{pool("slow", 1000, 600, 100)}, kStart + 5s);
  EXPECT_EQ(gate.room("slow", kStart + 5s), 5) << "saved at the old rate, and no more than that";
  EXPECT_EQ(gate.room("slow", kStart + 6s), 15) << "from here on at the new one";
  gate.learn(std::vector{pool("slow", 1000, 600, 4)}, kStart + 6s);
  EXPECT_EQ(gate.room("slow", kStart + 6s), 4);
}

TEST(PoolGate, ARateWhereThereWasNoneStartsEmpty) {
  PoolGate gate({pool("mail", 1000)}, kStart);
  gate.started("mail", 500);
  Pool limited = pool("mail", 1000, 60, 10);
  gate.learn(std::vector{limited}, kStart + 1s);
  EXPECT_EQ(gate.room("mail", kStart + 2s), 0) << "not at home yet";
  gate.set_homes(std::vector<std::string>{"mail"}, kStart + 2s);
  EXPECT_EQ(gate.room("mail", kStart + 2s), 0);
  EXPECT_EQ(gate.room("mail", kStart + 3s), 1);
}

TEST(PoolGate, SuspendedAtOnceAndBack) {
  PoolGate gate({pool("mail", 3)}, kStart);
  Pool suspended = pool("mail", 3);
  suspended.status = PoolStatus::SUSPENDED;
  gate.learn(std::vector{suspended}, kStart);
  EXPECT_EQ(gate.room("mail", kStart), 0);
  gate.learn(std::vector{pool("mail", 3)}, kStart);
  EXPECT_EQ(gate.room("mail", kStart), 3);
}

TEST(PoolGate, SaysWhatHoldsItBack) {
  PoolGate gate({pool("slow", 10, 600, 5), pool("one", 1), pool("mail", 2)}, kStart);
  EXPECT_EQ(gate.describe("mail", kStart), std::nullopt);
  EXPECT_EQ(gate.describe("new", kStart), "the pool 'new' is not known to this instance yet");
  EXPECT_EQ(gate.describe("slow", kStart), "another instance starts the deliveries of the pool 'slow'");
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  EXPECT_EQ(gate.describe("slow", kStart),
            "the pool 'slow' has used its rate of 600 a minute; the next start is in 0.1 s");
  EXPECT_EQ(gate.describe("slow", kStart + 1s), std::nullopt);
  gate.started("mail", 2);
  EXPECT_EQ(gate.describe("mail", kStart), "all 2 deliveries of the pool 'mail' are under way");
  gate.started("one", 1);
  EXPECT_EQ(gate.describe("one", kStart), "the one delivery of the pool 'one' is under way");
  Pool suspended = pool("mail", 2);
  suspended.status = PoolStatus::SUSPENDED;
  gate.learn(std::vector{suspended}, kStart);
  EXPECT_EQ(gate.describe("mail", kStart), "the pool 'mail' is suspended");
}

TEST(PoolGate, TheRateIsNamedWithTheTimeToWait) {
  PoolGate gate({pool("slow", 10, 60, 5)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  EXPECT_EQ(gate.describe("slow", kStart + 600ms),
            "the pool 'slow' has used its rate of 60 a minute; the next start is in 0.4 s");
}

TEST(PoolGate, LongIdleTimesDoNotOverflow) {
  PoolGate gate({pool("fast", 1'000'000, 1'000'000, 100'000)}, kStart);
  gate.set_homes(std::vector<std::string>{"fast"}, kStart);
  EXPECT_EQ(gate.room("fast", kStart + 24h * 365 * 100), 100'000);
}

// ---- the promise: no 60 s, wherever they begin, see more than rate + burst starts ----

// Starts of the last minute, the moment a minute ago included: a window is closed at both ends.
class Window {
 public:
  void started(Clock::Steady at, int n) {
    for (; n > 0; --n)
      starts_.push_back(at);
    while (starts_.front() < at - 60s)
      starts_.pop_front();
    most_ = std::max(most_, starts_.size());
  }
  std::size_t most() const { return most_; }

 private:
  std::deque<Clock::Steady> starts_;
  std::size_t most_ = 0;
};

// A day in the life of a pool at 600 a minute with a burst of 10: greedy, idle and hesitant by turns; now and then
// people change it (and back: what the limit is stays what it is), and now and then its home moves.
class BusyPool {
 public:
  explicit BusyPool(std::uint64_t seed) : random_(seed), gate_(std::make_unique<PoolGate>(none(), now_)) {
    learn();
    move_in();
  }

  void live_through(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += pause();
      if (draw(changes_) == 0) move();
      if (draw(changes_) == 0) learn_twice();
      if (draw(hesitates_) > 0) start();
    }
  }
  std::size_t most() const { return window_.most(); }
  std::size_t started() const { return started_; }

 private:
  static std::vector<Pool> none() { return {}; }
  int draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  std::chrono::nanoseconds pause() {
    const int kind = draw(idles_);
    if (kind == 0) return std::chrono::seconds{draw(90)};
    if (kind <= 2) return std::chrono::milliseconds{draw(2000)};
    return std::chrono::nanoseconds{draw(300'000'000)};
  }
  void start() {
    const int room = gate_->room("slow", now_);
    ASSERT_LE(room, 10);
    const int n = draw(4) == 0 ? draw(room + 1) : room;
    gate_->started("slow", n);
    for (int i = 0; i < n; ++i)
      gate_->finished("slow");
    started_ += static_cast<std::size_t>(n);
    if (n > 0) window_.started(now_, n);
  }
  void learn(int rate = 600, int burst = 10) {
    gate_->learn(std::vector{pool("slow", 1000, rate, burst)}, now_);
  }
  void learn_twice() {
    learn(1 + draw(600), 1 + draw(10));
    now_ += pause();
    start();
    learn();
  }
  void move_in() { gate_->set_homes(std::vector<std::string>{"slow"}, now_); }
  // Another instance takes over at this very moment, and knows nothing of what was started before.
  void move() {
    gate_ = std::make_unique<PoolGate>(none(), now_);
    learn();
    move_in();
  }

  std::mt19937_64 random_;
  // One in so many steps is long, brings a change, starts nothing: each pool has its own temper.
  const int idles_ = 10 << draw(12), changes_ = 20 << draw(12), hesitates_ = 2 << draw(10);
  Clock::Steady now_ = kStart;
  std::unique_ptr<PoolGate> gate_;
  Window window_;
  std::size_t started_ = 0;
};

TEST(PoolGate, NoMinuteSeesMoreThanRateAndBurst) {
  const std::uint64_t seed = test::test_seed();
  SCOPED_TRACE("EILBOTE_TEST_SEED=" + std::to_string(seed));
  std::size_t most = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    BusyPool busy(seed + run);
    busy.live_through(3000);
    ASSERT_LE(busy.most(), 610U) << "run " << run;
    ASSERT_GT(busy.started(), 1000U) << "the pool did not flow, run " << run;
    most = std::max(most, busy.most());
  }
  EXPECT_GT(most, 590U) << "the limit was never reached: the test proves nothing";
}

TEST(PoolGate, EarnsNoRateWhileWhatWasClaimedDoesNotBegin) {
  PoolGate gate({pool("slow", 100, 600, 10)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  const auto full = kStart + 1h;
  EXPECT_EQ(gate.room("slow", full), 10);
  gate.started("slow", 10);
  for (auto wait = 0ms; wait <= 60s; wait += 50ms) {
    gate.hold("slow", full + wait);
    gate.learn(std::vector{pool("slow", 100, 600, 10)}, full + wait);  // as every look around does
    gate.describe("slow", full + wait);
  }
  EXPECT_EQ(gate.room("slow", full + 60s), 0) << "else ten would follow the ten that waited";
  EXPECT_EQ(gate.room("slow", full + 60s + 100ms), 1);
}

TEST(PoolGate, EarnsNoRateWhileNobodyCouldLook) {
  PoolGate gate({pool("slow", 100, 600, 10)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  const auto full = kStart + 1h;
  EXPECT_EQ(gate.room("slow", full), 10);
  gate.started("slow", 10);
  gate.hold("slow", full);
  gate.hold("slow", full + 60s);  // the database was away in between
  EXPECT_EQ(gate.room("slow", full + 60s), 0);
}

TEST(PoolGate, EarnsItsRateWhileContentsAreLoaded) {
  PoolGate gate({pool("slow", 100, 600, 10)}, kStart);
  gate.set_homes(std::vector<std::string>{"slow"}, kStart);
  gate.hold("slow", kStart + 20ms);
  gate.hold("slow", kStart + 70ms);
  EXPECT_EQ(gate.room("slow", kStart + 100ms), 1);
}

TEST(PoolGate, SaysWhatKindOfPoolItIs) {
  Pool suspended = pool("suspended", 3);
  suspended.status = PoolStatus::SUSPENDED;
  PoolGate gate({pool("mail", 3), pool("slow", 3, 60), pool("home", 3, 60), suspended}, kStart);
  gate.set_homes(std::vector<std::string>{"home"}, kStart);
  struct Case {
    std::string pool;
    bool limited, elsewhere, suspended;
  };
  for (const Case& one :
       {Case{"mail", false, false, false}, Case{"slow", true, true, false}, Case{"home", true, false, false},
        Case{"suspended", false, false, true}, Case{"unknown", false, false, false}}) {
    EXPECT_EQ(gate.is_limited(one.pool), one.limited) << one.pool;
    EXPECT_EQ(gate.is_elsewhere(one.pool), one.elsewhere) << one.pool;
    EXPECT_EQ(gate.is_suspended(one.pool), one.suspended) << one.pool;
  }
}

}  // namespace
}  // namespace eilbote::engine_pool_gate_test
