#include "domain/breaker.h"

#include <algorithm>

namespace eilbote {

void Breaker::on_result(Verdict verdict, const std::string& text, Steady now) {
  if (state_ != BreakerState::closed) return;  // stragglers of the outage say nothing new
  const bool fault = verdict == Verdict::route_fault || verdict == Verdict::configuration;
  if (rules_.opens_on_first_fault) {
    if (fault) open(text, now);
    return;
  }
  // What the other side refused or put off says nothing about whether it is there.
  const bool neutral =
      verdict == Verdict::deferred || verdict == Verdict::released || verdict == Verdict::permanent;
  if (neutral) return;
  calls_.emplace_back(now, verdict != Verdict::delivered);
  if (window_says_open(now)) open(text, now);
}

bool Breaker::window_says_open(Steady now) {
  while (!calls_.empty() && calls_.front().first < now - rules_.window)
    calls_.pop_front();
  const auto failures =
      std::count_if(calls_.begin(), calls_.end(), [](const auto& call) { return call.second; });
  return static_cast<int>(calls_.size()) >= rules_.calls_min &&
         static_cast<double>(failures) >= rules_.failure_ratio * static_cast<double>(calls_.size());
}

void Breaker::open(const std::string& why, Steady now) {
  state_ = BreakerState::open;
  reason_ = why;
  next_probe_ = now + rules_.probe_every;
  good_probes_ = 0;
  calls_.clear();
}

bool Breaker::take_probe(Steady now) {
  if (state_ != BreakerState::open || now < next_probe_) return false;
  state_ = BreakerState::probing;
  return true;
}

void Breaker::on_probe(bool good, const std::string& text, Steady now) {
  if (state_ != BreakerState::probing) return;
  if (good && ++good_probes_ >= rules_.good_probes_to_close) return reset();
  state_ = BreakerState::open;
  next_probe_ = good ? now : now + rules_.probe_every;  // a good one is confirmed at once
  if (!good) {
    good_probes_ = 0;
    reason_ = text;
  }
}

void Breaker::reset() {
  state_ = BreakerState::closed;
  reason_.clear();
  good_probes_ = 0;
  calls_.clear();
}

}  // namespace eilbote
