// Time in a simulated world: one steady clock for all, the database's clock and each instance's wall clock beside it. It stands
// still until somebody moves it.
#pragma once

#include "base/clock.h"

namespace eilbote::sim {

// Steady clocks begin well after zero: a program compares with "never" as zero.
inline constexpr Duration kBegin = std::chrono::hours{1};

struct SimTime {
  Duration passed{kBegin};
  Duration database_ahead{0};  // grows and shrinks as its clock jumps

  TimePoint database_now() const { return epoch() + passed + database_ahead; }
  static TimePoint epoch() { return TimePoint{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}}; }
};

// The clocks of one instance.
class SimClock final : public Clock {
 public:
  explicit SimClock(const SimTime& time) : time_(time) {}
  TimePoint now() const override { return SimTime::epoch() + time_.passed + wall_ahead_; }
  Steady steady_now() const override { return Steady{time_.passed}; }
  void set_wall(Duration ahead) { wall_ahead_ = ahead; }

 private:
  const SimTime& time_;
  Duration wall_ahead_{0};
};

}  // namespace eilbote::sim
