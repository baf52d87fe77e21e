// The endpoint hosts webhooks go to: how many jobs are claimed for each, and its breaker. A breaker is probed with real
// jobs, one at a time; a probe that fails is a deferral, so an outage uses up no attempt. A host that answers fast has some
// claimed ahead (departures.h holds them until there is room), so that it need not wait for the next claim. Used by the
// ledger's thread only; no I/O and no clock: times are handed in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/breaker.h"

namespace eilbote {

// SPEC'd numbers: half of at least ten calls within a minute, half a minute's pause, three good probes.
BreakerRules host_breaker_rules();

// How many jobs of a route may be claimed now.
struct RouteRoom {
  int free = 0;   // these can begin at once; below nothing: so many were claimed ahead
  int ahead = 0;  // and so many more will soon
};

// What people see of a route's breaker.
struct BreakerView {
  std::string route;
  BreakerState state = BreakerState::closed;
  std::string reason;
  std::optional<Clock::Steady> since{};  // when it opened; absent: it is closed
  ChannelKind channel = ChannelKind::mail;

  friend bool operator==(const BreakerView&, const BreakerView&) = default;
};

// As people see it now.
inline BreakerView view_of(std::string route, const Breaker& breaker, ChannelKind channel) {
  BreakerView view{std::move(route), breaker.state(), breaker.reason()};
  if (!breaker.lets_through()) view.since = breaker.opened_at();
  view.channel = channel;
  return view;
}

class HostBook {
 public:
  using Steady = Clock::Steady;
  HostBook(BreakerRules rules, int open_max) : rules_(rules), open_max_(open_max) {}

  RouteRoom room(const std::string& host, Steady now) const;
  bool lets_through(const std::string& host) const;
  // A job is claimed. True: it is the probe of an open breaker.
  bool started(const std::string& host, Steady now);
  // It is over. True when the breaker opened or closed.
  bool finished(const std::string& host, bool probe, Verdict verdict, const std::string& text, Steady now);

  // Closes a breaker by hand; false when this host has none that is open.
  bool reset(const std::string& host);
  // The earliest time to come at which an open breaker may be probed. One that may be already waits for a job.
  std::optional<Steady> next_probe(Steady now) const;

  // Those that are not closed.
  std::vector<BreakerView> troubled() const;
  // Forgets hosts about which there is nothing to remember.
  void tidy(Steady now);

 private:
  struct Host {
    explicit Host(const BreakerRules& rules) : breaker(rules) {}
    void note_end(Steady now);
    int ended_lately(Steady now) const;
    Breaker breaker;
    int open = 0;
    Steady window{};  // ends are counted by windows
    int ended = 0, ended_before = 0;
  };
  const BreakerRules rules_;
  const int open_max_;
  std::map<std::string, Host> hosts_;
};

}  // namespace eilbote
