// A route's circuit breaker: pure, time handed in. While it is open nothing is claimed for the route, so no
// attempt is used up by an outage; probes that carry no mail find out when it is over.
#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "base/clock.h"
#include "domain/names.h"

namespace eilbote {

struct BreakerRules {
  // A mail route opens on the first route or configuration fault. An endpoint host opens on a share of
  // failures.
  bool opens_on_first_fault = true;
  double failure_ratio = 0.5;
  int calls_min = 10;
  std::chrono::seconds window{60};
  Duration probe_every = std::chrono::seconds{30};
  int good_probes_to_close = 1;
};

enum class BreakerState { closed, open, probing };
inline constexpr auto kBreakerStateNames = enum_names<BreakerState>(
    {{BreakerState::closed, "closed"}, {BreakerState::open, "open"}, {BreakerState::probing, "probing"}});

class Breaker {
 public:
  using Steady = Clock::Steady;
  explicit Breaker(BreakerRules rules) : rules_(rules) {}

  BreakerState state() const { return state_; }
  const std::string& reason() const { return reason_; }
  bool lets_through() const { return state_ == BreakerState::closed; }
  Steady opened_at() const { return opened_at_; }  // while it is not closed

  // What an attempt on this route came to.
  void on_result(Verdict verdict, const std::string& text, Steady now);
  // True when a probe is due now; the caller probes and says what came of it. Only one probe is out at a
  // time.
  bool take_probe(Steady now);
  Steady next_probe() const { return next_probe_; }
  void on_probe(bool good, const std::string& text, Steady now);
  void reset();
  // Closed, with nothing on record that still counts.
  bool idle(Steady now);

 private:
  void open(const std::string& why, Steady now);
  void forget_old(Steady now);
  void forget_all();
  bool window_says_open(Steady now);

  const BreakerRules rules_;
  BreakerState state_ = BreakerState::closed;
  std::string reason_;
  Steady next_probe_{};
  Steady opened_at_{};
  int good_probes_ = 0;
  // Calls within the window, those of a tenth of a second together: a busy host would fill the memory otherwise.
  struct Bucket {
    Steady from{};
    int calls = 0;
    int failures = 0;
  };
  std::deque<Bucket> buckets_;
  Bucket sum_;  // of all buckets
};

}  // namespace eilbote
