#include "engine/host_book.h"

#include <algorithm>

namespace eilbote {
namespace {

// A host in trouble that nobody had a job for all this time: there is nothing to protect any more.
constexpr Duration kForgetTroubleAfter = std::chrono::minutes{10};
// About the time until the next claim: what ended within it is claimed ahead.
constexpr Duration kWindow = std::chrono::milliseconds{50};

}  // namespace

BreakerRules host_breaker_rules() {
  BreakerRules rules;
  rules.opens_on_first_fault = false;
  rules.good_probes_to_close = 3;
  return rules;
}

void HostBook::Host::note_end(Steady now) {
  if (now - window >= kWindow) {
    ended_before = now - window < 2 * kWindow ? ended : 0;
    ended = 0;
    window = now;
  }
  ++ended;
}

int HostBook::Host::ended_lately(Steady now) const {
  if (now - window >= 2 * kWindow) return 0;
  return now - window >= kWindow ? ended : std::max(ended, ended_before);
}

RouteRoom HostBook::room(const std::string& host, Steady now) const {
  const auto it = hosts_.find(host);
  if (it == hosts_.end()) return {open_max_, 0};
  switch (it->second.breaker.state()) {
    case BreakerState::closed:
      return {open_max_ - it->second.open, std::min(open_max_, it->second.ended_lately(now))};
    case BreakerState::open:
      return {now >= it->second.breaker.next_probe() ? 1 : 0, 0};
    case BreakerState::probing:
      break;
  }
  return {};
}

bool HostBook::lets_through(const std::string& host) const {
  const auto it = hosts_.find(host);
  return it == hosts_.end() || it->second.breaker.lets_through();
}

bool HostBook::started(const std::string& name, Steady now) {
  Host& host = hosts_.try_emplace(name, rules_).first->second;
  ++host.open;
  return host.breaker.take_probe(now);
}

bool HostBook::finished(const std::string& name, bool probe, Verdict verdict, const std::string& text,
                        Steady now) {
  const auto it = hosts_.find(name);
  if (it == hosts_.end()) return false;
  Host& host = it->second;
  --host.open;
  if (verdict != Verdict::released) host.note_end(now);
  const bool let_through = host.breaker.lets_through();
  if (probe)
    // An endpoint that refuses or puts off is there all the same.
    host.breaker.on_probe(verdict != Verdict::transient && verdict != Verdict::released, text, now);
  else
    host.breaker.on_result(verdict, text, now);
  return let_through != host.breaker.lets_through();
}

bool HostBook::reset(const std::string& name) {
  const auto it = hosts_.find(name);
  if (it == hosts_.end() || it->second.breaker.lets_through()) return false;
  it->second.breaker.reset();
  return true;
}

std::optional<HostBook::Steady> HostBook::next_probe(Steady now) const {
  std::optional<Steady> earliest;
  for (const auto& [name, host] : hosts_) {
    const Steady at = host.breaker.next_probe();
    if (host.breaker.state() == BreakerState::open && at > now && (!earliest || at < *earliest))
      earliest = at;
  }
  return earliest;
}

std::vector<BreakerView> HostBook::troubled() const {
  std::vector<BreakerView> views;
  for (const auto& [name, host] : hosts_)
    if (!host.breaker.lets_through()) views.push_back(view_of(name, host.breaker, ChannelKind::webhook));
  return views;
}

void HostBook::tidy(Steady now) {
  for (auto it = hosts_.begin(); it != hosts_.end();) {
    Host& host = it->second;
    const bool stale =
        host.breaker.state() == BreakerState::open && now > host.breaker.next_probe() + kForgetTroubleAfter;
    it = host.open == 0 && (stale || host.breaker.idle(now)) ? hosts_.erase(it) : std::next(it);
  }
}

}  // namespace eilbote
