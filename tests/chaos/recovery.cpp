#include "chaos/recovery.h"

#include <algorithm>
#include <map>
#include <set>

#include "support/sorted_history.h"

namespace eilbote::chaos {
namespace {

using test::HistoryEvent;
using test::HistoryKind;

RecoveryTimes times_of(std::vector<double> seconds) {
  RecoveryTimes times;
  times.jobs = static_cast<int>(seconds.size());
  if (seconds.empty()) return times;
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double part) {
    return seconds[static_cast<std::size_t>(part * static_cast<double>(seconds.size() - 1))];
  };
  times.p50 = at(0.5);
  times.p99 = at(0.99);
  times.most = seconds.back();
  return times;
}

// The first start after that moment; 0: there was none.
std::int64_t next_start(const test::ToldJob& job, std::int64_t after) {
  std::int64_t next = 0;
  const auto take = [&](std::int64_t at) {
    if (at > after && (next == 0 || at < next)) next = at;
  };
  for (const test::SeenDelivery* one : job.deliveries)
    take(one->begun);
  for (const test::RecordedAttempt& one : job.attempts)
    take(one.from);
  return next;
}

bool is_uncertain(const test::ToldJob& job) {
  const bool doubted =
      std::any_of(job.attempts.begin(), job.attempts.end(),
                  [](const test::RecordedAttempt& one) { return one.verdict == "uncertain"; });
  return doubted || (job.stored != nullptr && job.stored->dead_reason == "Uncertain");
}

}  // namespace

Recovery recovery_of(const std::vector<HistoryEvent>& events) {
  const test::SortedHistory history = test::sort_history(events);
  std::vector<double> jobs, uncertain;
  std::map<std::int64_t, double> first;  // by the moment of the kill
  Recovery recovery;
  for (const HistoryEvent& event : events) {
    if (event.kind != HistoryKind::leased) continue;
    const auto found = history.jobs.find(event.id);
    const std::int64_t next = found == history.jobs.end() ? 0 : next_start(found->second, event.at);
    if (next == 0) {
      ++recovery.not_again;
      continue;
    }
    const double seconds = static_cast<double>(next - event.at) / 1e6;
    if (event.mode == "mail" && is_uncertain(found->second)) {
      uncertain.push_back(seconds);
      continue;
    }
    jobs.push_back(seconds);
    const auto [kill, is_new] = first.emplace(event.at, seconds);
    if (!is_new) kill->second = std::min(kill->second, seconds);
  }
  std::vector<double> firsts;
  for (const auto& [at, seconds] : first)
    firsts.push_back(seconds);
  recovery.jobs = times_of(std::move(jobs));
  recovery.first = times_of(std::move(firsts));
  recovery.uncertain = times_of(std::move(uncertain));
  return recovery;
}

}  // namespace eilbote::chaos
