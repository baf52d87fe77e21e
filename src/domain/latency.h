// How long attempts took lately, from a histogram that only grows: the difference of two looks at it is what happened in between.
// Pure; times are handed in. Used by engine/overview_desk.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"

namespace eilbote {

// How many were at most so long: `up_to` has one more than `bounds`, the last one for all. Both ascend.
struct LatencyCounts {
  std::vector<double> bounds;  // seconds
  std::vector<std::uint64_t> up_to;
};

// The time that the part `q` (0.5: half) of them stayed below: within a bucket taken as evenly spread, beyond the last bound that
// bound. Nothing when there were none.
std::optional<double> latency_quantile(const LatencyCounts& counts, double q);

struct LatencyView {
  double per_second = 0;
  std::optional<double> p50, p95, p99;  // seconds
};

// Looks of the last minute.
class LatencyWindow {
 public:
  using Steady = Clock::Steady;
  void note(Steady at, LatencyCounts counts);
  LatencyView view() const;

 private:
  struct Look {
    Steady at{};
    LatencyCounts counts;
  };
  std::deque<Look> looks_;  // the oldest first; at most one that is older than the minute
};

}  // namespace eilbote
