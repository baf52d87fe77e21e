#include "domain/breaker.h"

namespace eilbote {
namespace {

constexpr Duration kBucket = std::chrono::milliseconds{100};

}  // namespace

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
  const int failed = verdict == Verdict::delivered ? 0 : 1;
  if (buckets_.empty() || now - buckets_.back().from >= kBucket) buckets_.push_back({now, 0, 0});
  for (Bucket* bucket : {&buckets_.back(), &sum_}) {
    ++bucket->calls;
    bucket->failures += failed;
  }
  if (window_says_open(now)) open(text, now);
}

void Breaker::forget_old(Steady now) {
  while (!buckets_.empty() && buckets_.front().from < now - rules_.window) {
    sum_.calls -= buckets_.front().calls;
    sum_.failures -= buckets_.front().failures;
    buckets_.pop_front();
  }
}

void Breaker::forget_all() {
  buckets_.clear();
  sum_ = {};
}

bool Breaker::window_says_open(Steady now) {
  forget_old(now);
  return sum_.calls >= rules_.calls_min && sum_.failures >= rules_.failure_ratio * sum_.calls;
}

bool Breaker::idle(Steady now) {
  forget_old(now);
  return state_ == BreakerState::closed && buckets_.empty();
}

void Breaker::open(const std::string& why, Steady now) {
  state_ = BreakerState::open;
  reason_ = why;
  opened_at_ = now;
  next_probe_ = now + rules_.probe_every;
  good_probes_ = 0;
  forget_all();
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
  forget_all();
}

}  // namespace eilbote
