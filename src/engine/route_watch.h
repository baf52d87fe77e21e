// The breakers of all ways out: the mail route's, and those of the endpoint hosts webhooks go to. Decides how much may be
// started on a route, takes note of what came of it, and tells people. The ledger's thread works with it; the two reads at
// the end are for everybody. No I/O and no clock: times are handed in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "domain/breaker.h"
#include "engine/finished.h"
#include "engine/host_book.h"

namespace eilbote {

struct Metrics;

struct RouteRules {
  BreakerRules mail;
  BreakerRules host = host_breaker_rules();
  int requests_per_host_max = 256;
};

class RouteWatch {
 public:
  using Steady = Clock::Steady;
  RouteWatch(std::string mail_route, const RouteRules& rules, Metrics& metrics);

  // Whatever the pool says.
  RouteRoom room(ChannelKind channel, const std::string& route, Steady now) const;
  // True: this webhook is the probe of its host's breaker.
  bool started(const Job& job, Steady now);

  enum class Change { none, mail_down, host_down, up };  // up: something that waited may be claimed again
  Change finished(const Finished& finished, Steady now);

  // True when the mail route is to be probed now; on_mail_probe says what came of it.
  bool take_mail_probe(Steady now) { return mail_.take_probe(now); }
  Change on_mail_probe(const Result<void>& result, Steady now);

  bool mail_flows() const { return mail_.lets_through(); }
  // Whether its breaker is closed.
  bool flows(ChannelKind channel, const std::string& route) const {
    return channel == ChannelKind::mail ? mail_flows() : hosts_.lets_through(route);
  }
  std::optional<Steady> next_probe(Steady now) const;
  void reset(const std::string& route);
  void tidy(Steady now);

  // From any thread: the mail route's breaker, and those of hosts that are not closed.
  std::vector<BreakerView> views() const;
  std::optional<std::string> trouble(const Job& job) const;

 private:
  Change finished_webhook(const Finished& finished, Steady now);
  void publish();

  const std::string mail_route_;
  Metrics& metrics_;
  Breaker mail_;
  HostBook hosts_;
  mutable Mutex mutex_;
  std::vector<BreakerView> views_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
