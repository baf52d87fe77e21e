#include "engine/flow_book.h"

#include <algorithm>

#include "metrics/metrics.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSecondsMax = 300;
constexpr std::size_t kRateSeconds = 5;  // that "now" is an average of
constexpr std::size_t kReadingsMax =
    5;  // four intervals: some heartbeats see two writes of another instance, some none
constexpr Duration kReadingsKept = 60s;  // what is older says nothing about now
constexpr Duration kMinutesRead = 3min;  // more than a heartbeat, also where one is late

std::int64_t whole(double count) {
  return static_cast<std::int64_t>(count + 0.5);
}

}  // namespace

FlowBook::FlowBook(OverviewBook& book, const Metrics& metrics, const Clock& clock)
    : book_(book), metrics_(metrics), clock_(clock) {
  const MutexLock lock(mutex_);
  written_ = sampled_ = counted();
  sampled_at_ = clock_.steady_now();
}

FlowCounts FlowBook::counted() const {
  return {whole(metrics_.total(Metric::messages_accepted) + metrics_.total(Metric::webhooks_accepted)),
          whole(metrics_.total(Metric::messages_sent) + metrics_.total(Metric::webhooks_delivered)),
          whole(metrics_.total(Metric::dead)), whole(metrics_.total(Metric::requeued, "retry"))};
}

FlowCounts FlowBook::unwritten() const {
  const FlowCounts now = counted();
  const MutexLock lock(mutex_);
  return now - written_;
}

Result<void> FlowBook::write(bool is_alone) {
  const FlowCounts now = counted();
  FlowCounts news;
  {
    const MutexLock lock(mutex_);
    news = now - written_;
  }
  if (!news.is_zero()) {
    const auto added = book_.add_flow(news);
    // Where it is open whether it happened it counts as done: rather too little than twice.
    if (!added && added.error().kind != ErrorKind::ambiguous) return added;
    added_since_reading_ += news;
    const MutexLock lock(mutex_);
    written_ = now;
  }
  if (!is_alone) return read_others();
  has_read_ = false;
  const MutexLock lock(mutex_);
  readings_.clear();
  return {};
}

Result<void> FlowBook::read_others() {
  const Steady at = clock_.steady_now();
  const auto minutes = book_.flow(kMinutesRead);
  if (!minutes) return fail(minutes.error());
  FlowCounts added;
  std::map<TimePoint, FlowCounts> now;
  for (const FlowMinute& minute : *minutes) {
    const auto before = read_minutes_.find(minute.at);
    added += before == read_minutes_.end() ? minute.counts : minute.counts - before->second;
    now[minute.at] = minute.counts;
  }
  const FlowCounts others = (added - added_since_reading_).at_least_none();
  read_minutes_ = std::move(now);
  added_since_reading_ = {};
  const MutexLock lock(mutex_);
  // The first reading only says where to count from.
  if (!std::exchange(has_read_, true)) readings_.clear();
  readings_.push_back({at, readings_.empty() ? FlowCounts{} : others});
  while (readings_.size() > kReadingsMax)
    readings_.pop_front();
  return {};
}

FlowRates FlowBook::others_rates(Steady now) const {
  if (readings_.size() < 2 || now - readings_.back().at > kReadingsKept) return {};
  FlowCounts sum;
  for (std::size_t i = 1; i < readings_.size(); ++i)
    sum += readings_[i].others;
  return rates_of(sum, std::chrono::duration_cast<Duration>(readings_.back().at - readings_.front().at));
}

void FlowBook::sample() {
  const FlowCounts now = counted();
  const Steady at = clock_.steady_now();
  const TimePoint shown_at = clock_.now();
  const MutexLock lock(mutex_);
  const auto over = std::chrono::duration_cast<Duration>(at - sampled_at_);
  if (over <= Duration{0}) return;
  seconds_.push_back({shown_at, rates_of(now - sampled_, over) + others_rates(at)});
  if (seconds_.size() > kSecondsMax) seconds_.pop_front();
  sampled_ = now;
  sampled_at_ = at;
}

FlowRates FlowBook::rates() const {
  const MutexLock lock(mutex_);
  const std::size_t n = std::min(seconds_.size(), kRateSeconds);
  FlowRates sum;
  for (std::size_t i = seconds_.size() - n; i < seconds_.size(); ++i)
    sum += seconds_[i].rates;
  return n == 0 ? sum : sum * (1.0 / static_cast<double>(n));
}

std::vector<FlowSecond> FlowBook::seconds() const {
  const MutexLock lock(mutex_);
  return {seconds_.begin(), seconds_.end()};
}

}  // namespace eilbote
