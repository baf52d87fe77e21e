#include "domain/latency.h"

namespace eilbote {
namespace {

constexpr Duration kSpan = std::chrono::minutes{1};

// What came between two looks. The first look may be of a time before the first attempt, and have no buckets at all.
LatencyCounts since(const LatencyCounts& before, const LatencyCounts& now) {
  LatencyCounts between = now;
  for (std::size_t i = 0; i < between.up_to.size() && i < before.up_to.size(); ++i)
    between.up_to[i] -= before.up_to[i];
  return between;
}

}  // namespace

std::optional<double> latency_quantile(const LatencyCounts& counts, double q) {
  if (counts.up_to.empty() || counts.up_to.back() == 0) return std::nullopt;
  const double rank = q * static_cast<double>(counts.up_to.back());
  std::size_t bucket = 0;
  while (bucket < counts.bounds.size() && static_cast<double>(counts.up_to[bucket]) < rank)
    ++bucket;
  if (bucket == counts.bounds.size()) return counts.bounds.empty() ? 0 : counts.bounds.back();
  const double from = bucket == 0 ? 0 : counts.bounds[bucket - 1];
  const auto below = bucket == 0 ? 0.0 : static_cast<double>(counts.up_to[bucket - 1]);
  const double inside = static_cast<double>(counts.up_to[bucket]) - below;
  if (inside <= 0) return from;
  return from + (counts.bounds[bucket] - from) * (rank - below) / inside;
}

void LatencyWindow::note(Steady at, LatencyCounts counts) {
  looks_.push_back({at, std::move(counts)});
  while (looks_.size() > 2 && looks_[1].at <= at - kSpan)
    looks_.pop_front();
}

LatencyView LatencyWindow::view() const {
  if (looks_.size() < 2) return {};
  const LatencyCounts lately = since(looks_.front().counts, looks_.back().counts);
  const auto over = std::chrono::duration<double>(looks_.back().at - looks_.front().at).count();
  LatencyView view;
  if (lately.up_to.empty() || over <= 0) return view;
  view.per_second = static_cast<double>(lately.up_to.back()) / over;
  view.p50 = latency_quantile(lately, 0.5);
  view.p95 = latency_quantile(lately, 0.95);
  view.p99 = latency_quantile(lately, 0.99);
  return view;
}

}  // namespace eilbote
