#include "support/sorted_history.h"

#include <algorithm>
#include <limits>

namespace eilbote::test {
namespace {

void sort_one(const HistoryEvent& event, SortedHistory& into) {
  switch (event.kind) {
    case HistoryKind::asked:
    case HistoryKind::leased:
      return;
    case HistoryKind::refused:
      // 429 and 5xx: come again. Anything else is a word about the job.
      if (event.answer != 429 && event.answer < 500 && into.ids_of_name.contains(event.name))
        into.refused_again[event.name] = event.answer;
      return;
    case HistoryKind::acknowledged:
      into.ids_of_name[event.name].insert(event.id);
      into.jobs[event.id].acknowledged = true;
      return;
    case HistoryKind::begun: {
      SeenDelivery& delivery = into.deliveries[event.delivery];
      delivery = {event.at,    delivery.ended,  event.id, event.wire_id, event.group,
                  event.place, delivery.answer, event.by, event.mode,    event.pool};
      if (!event.name.empty()) into.ids_of_name[event.name].insert(event.id);
      return;
    }
    case HistoryKind::ended: {
      SeenDelivery& delivery = into.deliveries[event.delivery];
      delivery.ended = event.at;
      delivery.answer = event.answer;
      return;
    }
    case HistoryKind::fault:
      into.faults.push_back({event.at, std::max(event.at, event.until), event.name, event.by, event.status});
      return;
    case HistoryKind::attempt:
      into.jobs[event.id].attempts.push_back({event.at, event.until, event.status});
      return;
    case HistoryKind::stored:
      into.jobs[event.id].stored = &event;
      return;
    case HistoryKind::cancelled: {
      std::int64_t& at = into.jobs[event.id].cancelled_at;
      at = at == 0 ? event.at : std::min(at, event.at);
      return;
    }
    case HistoryKind::limits:
      into.limits[event.pool] = event;
      return;
  }
}

}  // namespace

std::int64_t SeenDelivery::over() const {
  return ended == 0 ? std::numeric_limits<std::int64_t>::max() : ended;
}

std::vector<const StruckFault*> SortedHistory::faults_between(std::int64_t from, std::int64_t until,
                                                              const std::string& by) const {
  std::vector<const StruckFault*> found;
  // Nothing that began longer before than the longest fault lasted can reach into it.
  auto fault = std::lower_bound(faults.begin(), faults.end(), from - longest_fault,
                                [](const StruckFault& one, std::int64_t at) { return one.from < at; });
  for (; fault != faults.end() && fault->from <= until; ++fault)
    if (fault->until >= from && (fault->by.empty() || by.empty() || fault->by == by))
      found.push_back(&*fault);
  return found;
}

SortedHistory sort_history(const std::vector<HistoryEvent>& events) {
  SortedHistory sorted;
  for (const HistoryEvent& event : events)
    sort_one(event, sorted);
  for (const auto& [number, delivery] : sorted.deliveries)
    if (!delivery.id.empty()) sorted.jobs[delivery.id].deliveries.push_back(&delivery);
  for (auto& [id, job] : sorted.jobs) {
    std::sort(job.deliveries.begin(), job.deliveries.end(),
              [](const SeenDelivery* a, const SeenDelivery* b) { return a->begun < b->begun; });
    std::sort(job.attempts.begin(), job.attempts.end(),
              [](const RecordedAttempt& a, const RecordedAttempt& b) { return a.from < b.from; });
  }
  std::sort(sorted.faults.begin(), sorted.faults.end(),
            [](const StruckFault& a, const StruckFault& b) { return a.from < b.from; });
  for (const StruckFault& fault : sorted.faults)
    sorted.longest_fault = std::max(sorted.longest_fault, fault.until - fault.from);
  return sorted;
}

}  // namespace eilbote::test
