#include "support/history_checker.h"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

namespace eilbote::test {
namespace {

constexpr std::size_t kShownMax = 12;

struct Delivery {
  std::int64_t begun = 0, ended = 0;  // ended 0: it was never seen to end
  std::string id, wire_id, group;
  int place = 0;
  int answer = 0;
  bool taken() const { return answer >= 200 && answer < 300; }
};

struct Span {
  std::int64_t from = 0, until = 0;
};

// What is known of one job.
struct Told {
  bool acknowledged = false;
  const HistoryEvent* stored = nullptr;
  std::vector<const Delivery*> deliveries;  // by begun
  std::vector<Span> attempts;               // by from
};

// The history, sorted by what it is about.
struct Sorted {
  std::map<std::string, std::set<std::string>> ids_of_name;
  std::map<std::string, Told> jobs;
  std::map<std::int64_t, Delivery> deliveries;
  std::vector<Span> faults;
};

void sort_one(const HistoryEvent& event, Sorted& into) {
  switch (event.kind) {
    case HistoryKind::asked:
    case HistoryKind::refused:
      return;
    case HistoryKind::acknowledged:
      into.ids_of_name[event.name].insert(event.id);
      into.jobs[event.id].acknowledged = true;
      return;
    case HistoryKind::begun: {
      Delivery& delivery = into.deliveries[event.delivery];
      delivery = {event.at,    delivery.ended, event.id,       event.wire_id,
                  event.group, event.place,    delivery.answer};
      if (!event.name.empty()) into.ids_of_name[event.name].insert(event.id);
      return;
    }
    case HistoryKind::ended: {
      Delivery& delivery = into.deliveries[event.delivery];
      delivery.ended = event.at;
      delivery.answer = event.answer;
      return;
    }
    case HistoryKind::fault:
      into.faults.push_back({event.at, std::max(event.at, event.until)});
      return;
    case HistoryKind::attempt:
      into.jobs[event.id].attempts.push_back({event.at, event.until});
      return;
    case HistoryKind::stored:
      into.jobs[event.id].stored = &event;
      return;
  }
}

Sorted sort_history(const std::vector<HistoryEvent>& events) {
  Sorted sorted;
  for (const HistoryEvent& event : events)
    sort_one(event, sorted);
  for (const auto& [number, delivery] : sorted.deliveries)
    if (!delivery.id.empty()) sorted.jobs[delivery.id].deliveries.push_back(&delivery);
  for (auto& [id, job] : sorted.jobs) {
    std::sort(job.deliveries.begin(), job.deliveries.end(),
              [](const Delivery* a, const Delivery* b) { return a->begun < b->begun; });
    std::sort(job.attempts.begin(), job.attempts.end(),
              [](const Span& a, const Span& b) { return a.from < b.from; });
  }
  return sorted;
}

class Checker {
 public:
  Checker(const Sorted& history, const HistoryRules& rules) : history_(history), rules_(rules) {}

  HistoryVerdict check() {
    for (const auto& [name, ids] : history_.ids_of_name)
      if (ids.size() > 1) found(history_rule::one_id, name + ": " + *ids.begin() + ", " + *ids.rbegin());
    for (const auto& [id, job] : history_.jobs) {
      check_end(id, job);
      check_deliveries(id, job);
      check_attempts(id, job);
    }
    check_groups();
    return std::move(verdict_);
  }

 private:
  void found(std::string_view rule, const std::string& what) { verdict_.violations[rule].push_back(what); }

  void check_end(const std::string& id, const Told& job) {
    if (job.acknowledged) ++verdict_.acknowledged;
    if (job.stored == nullptr) {
      if (job.acknowledged) found(history_rule::acknowledged_stored, id);
      if (!job.deliveries.empty()) found(history_rule::known, id);
      return;
    }
    const HistoryEvent& row = *job.stored;
    const bool sent = row.status == "sent", dead = row.status == "failed", gone = row.status == "cancelled";
    const bool has_reason = !row.dead_reason.empty();
    verdict_.delivered += sent;
    verdict_.dead += dead;
    if (!sent && !gone && !(dead && has_reason))
      found(history_rule::ended, id + " is " + row.status + (dead ? " without a reason" : ""));
    const bool taken = std::any_of(job.deliveries.begin(), job.deliveries.end(),
                                   [](const Delivery* one) { return one->taken(); });
    if (sent && !taken) found(history_rule::seen, id);
  }

  // Whether something was broken while this delivery was under way, or before its result can have been on record.
  bool beside_fault(const Delivery& delivery) const {
    const std::int64_t over = std::max(delivery.begun, delivery.ended);
    return std::any_of(history_.faults.begin(), history_.faults.end(), [&](const Span& fault) {
      return fault.until >= delivery.begun - rules_.slack && fault.from <= over + rules_.commit_window;
    });
  }

  // Each delivery has an attempt on record for itself, or a fault beside it.
  void check_deliveries(const std::string& id, const Told& job) {
    std::vector<bool> used(job.attempts.size());
    const Delivery* first_taken = nullptr;
    for (const Delivery* one : job.deliveries) {
      if (one->wire_id != job.deliveries.front()->wire_id)
        found(history_rule::one_wire_id, id + ": " + one->wire_id);
      bool within_used = false, matched = false;
      for (std::size_t i = 0; i < used.size() && !matched; ++i) {
        const Span& attempt = job.attempts[i];
        if (one->begun < attempt.from - rules_.slack || one->begun > attempt.until + rules_.slack) continue;
        within_used |= used[i];
        if (!used[i]) used[i] = matched = true;
      }
      if (!matched) {
        ++verdict_.unrecorded;
        if (!beside_fault(*one))
          found(within_used ? history_rule::started_once : history_rule::accounted,
                id + " at " + std::to_string(one->begun));
      }
      if (!one->taken()) continue;
      if (first_taken != nullptr) {
        ++verdict_.duplicates;
        if (!beside_fault(*first_taken)) found(history_rule::twice, id);
      }
      first_taken = one;
    }
  }

  void check_attempts(const std::string& id, const Told& job) {
    if (job.stored == nullptr) return;
    const HistoryEvent& row = *job.stored;
    if (row.budget > 0 && row.attempts > row.budget)
      found(history_rule::budget,
            id + ": " + std::to_string(row.attempts) + " of " + std::to_string(row.budget));
    if (row.finished_at == 0) return;
    const std::int64_t end = row.finished_at + rules_.slack;
    for (const Span& attempt : job.attempts)
      if (attempt.from > end) found(history_rule::after_end, id + ": an attempt on record");
    for (const Delivery* one : job.deliveries)
      if (one->begun > end) found(history_rule::after_end, id + ": a delivery");
  }

  void check_groups() {
    std::map<std::string, std::vector<const Delivery*>> groups;
    for (const auto& [number, delivery] : history_.deliveries)
      if (!delivery.group.empty()) groups[delivery.group].push_back(&delivery);
    for (auto& [group, deliveries] : groups) {
      std::sort(deliveries.begin(), deliveries.end(),
                [](const Delivery* a, const Delivery* b) { return a->begun < b->begun; });
      check_group(group, deliveries);
    }
  }

  void check_group(const std::string& group, const std::vector<const Delivery*>& deliveries) {
    std::set<std::string> begun;
    int last_place = 0;
    const Delivery* longest = nullptr;  // of those before, the one that ended last
    const auto end_of = [](const Delivery& one) {
      return one.ended == 0 ? std::numeric_limits<std::int64_t>::max() : one.ended;
    };
    for (const Delivery* one : deliveries) {
      if (begun.insert(one->id).second) {
        if (one->place < last_place)
          found(history_rule::group_order,
                group + ": place " + std::to_string(one->place) + " after " + std::to_string(last_place));
        last_place = std::max(last_place, one->place);
      }
      if (longest != nullptr && end_of(*longest) > one->begun && longest->id != one->id)
        found(history_rule::group_alone, group + ": " + longest->id + " and " + one->id);
      if (longest == nullptr || end_of(*one) > end_of(*longest)) longest = one;
    }
  }

  const Sorted& history_;
  const HistoryRules& rules_;
  HistoryVerdict verdict_;
};

}  // namespace

std::string HistoryVerdict::page() const {
  std::ostringstream page;
  page << acknowledged << " acknowledged: " << delivered << " delivered, " << dead << " dead; " << duplicates
       << " taken twice, " << unrecorded << " deliveries not on record\n";
  for (const auto& [rule, cases] : violations) {
    page << "  VIOLATED (" << cases.size() << "): " << rule << "\n";
    for (std::size_t i = 0; i < std::min(cases.size(), kShownMax); ++i)
      page << "    " << cases[i] << "\n";
  }
  return page.str();
}

HistoryVerdict check_history(const std::vector<HistoryEvent>& events, const HistoryRules& rules) {
  return Checker(sort_history(events), rules).check();
}

}  // namespace eilbote::test
