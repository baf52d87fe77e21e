// The two clocks, injected everywhere so that tests own time. Due times and leases are decided by the
// database's clock, not by these; `now` stamps ids and records, `steady_now` measures waits and trust in
// one's own lease.
#pragma once

#include <atomic>
#include <chrono>

#include "base/time.h"

namespace eilbote {

class Clock {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  virtual Steady steady_now() const = 0;
};

// When a moment of the monotonic clock was, as far as the wall clock was not set meanwhile.
inline TimePoint wall_time(const Clock& clock, Clock::Steady at) {
  return clock.now() - std::chrono::duration_cast<Duration>(clock.steady_now() - at);
}

class SystemClock final : public Clock {
 public:
  TimePoint now() const override {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
  Steady steady_now() const override { return std::chrono::steady_clock::now(); }
};

// Stands still until told to move.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(TimePoint start = TimePoint{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}})
      : now_(start.time_since_epoch().count()) {}
  TimePoint now() const override { return TimePoint{Duration{now_.load()}}; }
  Steady steady_now() const override { return Steady{Duration{now_.load()}}; }
  void advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_;
};

}  // namespace eilbote
