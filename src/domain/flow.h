// What flows through Eilbote: how many jobs were taken in and what became of them, mails and webhooks together. Counted by each
// instance (engine/flow_book.h), added up per minute over all of them in the database (ports/overview_book.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace eilbote {

struct FlowCounts {
  std::int64_t accepted = 0;
  std::int64_t delivered = 0;  // mails that a provider took, webhooks that their endpoint took
  std::int64_t failed = 0;     // dead, for whatever reason
  std::int64_t retried = 0;    // an attempt failed, and there will be another

  friend bool operator==(const FlowCounts&, const FlowCounts&) = default;
  FlowCounts& operator+=(const FlowCounts& other) {
    accepted += other.accepted;
    delivered += other.delivered;
    failed += other.failed;
    retried += other.retried;
    return *this;
  }
  friend FlowCounts operator+(FlowCounts a, const FlowCounts& b) { return a += b; }
  friend FlowCounts operator-(const FlowCounts& a, const FlowCounts& b) {
    return {a.accepted - b.accepted, a.delivered - b.delivered, a.failed - b.failed, a.retried - b.retried};
  }
  bool is_zero() const { return *this == FlowCounts{}; }
  // None below zero.
  FlowCounts at_least_none() const {
    return {std::max<std::int64_t>(accepted, 0), std::max<std::int64_t>(delivered, 0),
            std::max<std::int64_t>(failed, 0), std::max<std::int64_t>(retried, 0)};
  }
};

// Per second.
struct FlowRates {
  double accepted = 0, delivered = 0, failed = 0, retried = 0;

  friend bool operator==(const FlowRates&, const FlowRates&) = default;
  FlowRates& operator+=(const FlowRates& other) {
    accepted += other.accepted;
    delivered += other.delivered;
    failed += other.failed;
    retried += other.retried;
    return *this;
  }
  friend FlowRates operator+(FlowRates a, const FlowRates& b) { return a += b; }
  friend FlowRates operator*(const FlowRates& rates, double by) {
    return {rates.accepted * by, rates.delivered * by, rates.failed * by, rates.retried * by};
  }
};

// Nothing over no time.
inline FlowRates rates_of(const FlowCounts& counts, Duration over) {
  if (over <= Duration{0}) return {};
  return FlowRates{static_cast<double>(counts.accepted), static_cast<double>(counts.delivered),
                   static_cast<double>(counts.failed), static_cast<double>(counts.retried)} *
         (1.0 / std::chrono::duration<double>(over).count());
}

struct FlowMinute {
  TimePoint at{};  // when it began
  FlowCounts counts;
};
struct FlowSecond {
  TimePoint at{};  // when it ended
  FlowRates rates;
};

// How long minutes are kept, and how much of them is shown.
inline constexpr Duration kFlowKept = std::chrono::hours{24 * 8};
inline constexpr Duration kFlowShown = std::chrono::hours{24};

}  // namespace eilbote
