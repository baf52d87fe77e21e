#include "support/history_checker.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <tuple>

#include "support/history_lines.h"
#include "support/sorted_history.h"

namespace eilbote::test {
namespace {

constexpr std::size_t kShownMax = 12;

// The rules about each job by itself.
class JobRules {
 public:
  JobRules(const SortedHistory& history, const HistoryRules& rules, HistoryVerdict& verdict)
      : history_(history), rules_(rules), verdict_(verdict) {}

  void check() {
    for (const auto& [name, ids] : history_.ids_of_name)
      if (ids.size() > 1)
        verdict_.violations[history_rule::one_id].push_back(
            {name + ": " + *ids.begin() + ", " + *ids.rbegin(), {ids.begin(), ids.end()}});
    for (const auto& [name, answer] : history_.refused_again) {
      const auto& ids = history_.ids_of_name.at(name);
      verdict_.violations[history_rule::repeat_kept].push_back(
          {name + ": " + std::to_string(answer), {ids.begin(), ids.end()}});
    }
    for (const auto& [id, job] : history_.jobs) {
      check_end(id, job);
      check_cancelled(id, job);
      check_deliveries(id, job);
      check_taken(id, job);
      check_attempts(id, job);
    }
  }

 private:
  void found(std::string_view rule, const std::string& id, const std::string& what = "") {
    verdict_.violations[rule].push_back({id + what, {id}});
  }

  void check_end(const std::string& id, const ToldJob& job) {
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
    verdict_.cancelled += gone;
    if (!sent && !gone && !(dead && has_reason))
      found(history_rule::ended, id, " is " + row.status + (dead ? " without a reason" : ""));
    const bool taken = std::any_of(job.deliveries.begin(), job.deliveries.end(),
                                   [](const SeenDelivery* one) { return one->taken(); });
    if (sent && !taken) found(history_rule::seen, id);
  }

  void check_cancelled(const std::string& id, const ToldJob& job) {
    if (job.cancelled_at == 0) return;
    if (job.stored != nullptr && job.stored->status != "cancelled")
      found(history_rule::cancelled_stays, id, " is " + job.stored->status);
    for (const SeenDelivery* one : job.deliveries)
      if (one->begun > job.cancelled_at + rules_.slack && !comes_late(*one))
        found(history_rule::cancelled_silent, id, " at " + std::to_string(one->begun));
  }

  // The faults while this delivery was under way, or before its result can have been on record.
  std::vector<const StruckFault*> faults_beside(const SeenDelivery& delivery) const {
    const std::int64_t over = std::max(delivery.begun, delivery.ended);
    return history_.faults_between(delivery.begun - rules_.slack, over + rules_.commit_window, delivery.by);
  }
  bool comes_late(const SeenDelivery& delivery) const {
    return bytes_may_be_late(history_, rules_, delivery.begun, delivery.by);
  }
  // A process that was frozen hands over and settles when it comes back, which may be after the fault.
  bool is_excused(const SeenDelivery& delivery) const {
    return !faults_beside(delivery).empty() || comes_late(delivery);
  }

  // Each delivery has an attempt on record for itself, or a fault beside it.
  void check_deliveries(const std::string& id, const ToldJob& job) {
    std::vector<bool> used(job.attempts.size());
    for (const SeenDelivery* one : job.deliveries) {
      if (one->wire_id != job.deliveries.front()->wire_id)
        found(history_rule::one_wire_id, id, ": " + one->wire_id);
      bool within_used = false, matched = false;
      for (std::size_t i = 0; i < used.size() && !matched; ++i) {
        const RecordedAttempt& attempt = job.attempts[i];
        if (one->begun < attempt.from - rules_.slack || one->begun > attempt.until + rules_.slack) continue;
        within_used |= used[i];
        if (!used[i]) used[i] = matched = true;
      }
      if (matched) continue;
      ++verdict_.unrecorded;
      if (!is_excused(*one))
        found(within_used ? history_rule::started_once : history_rule::accounted, id,
              " at " + std::to_string(one->begun));
    }
  }

  void check_taken(const std::string& id, const ToldJob& job) {
    const SeenDelivery* taken = nullptr;
    const SeenDelivery* longest = nullptr;  // of those that were seen to end
    for (const SeenDelivery* one : job.deliveries) {
      if (longest != nullptr && longest->over() > one->begun && !is_excused(*longest) && !is_excused(*one))
        found(history_rule::job_alone, id, " at " + std::to_string(one->begun));
      if (one->ended != 0 && (longest == nullptr || one->over() > longest->over())) longest = one;
      if (!one->taken()) continue;
      if (taken != nullptr) count_duplicate(id, *taken, *one);
      taken = one;
    }
  }

  // What struck the sender itself comes first, then what began nearest to the moment at which it was answered.
  static const StruckFault* likely_cause(const std::vector<const StruckFault*>& faults,
                                         const SeenDelivery& delivery) {
    const auto distance = [&](const StruckFault* fault) {
      const bool harmless = fault->kind == fault_kind::names_fail || fault->kind == fault_kind::clock_jump;
      return std::tuple(harmless, fault->by.empty(),
                        std::abs(fault->from - std::max(delivery.begun, delivery.ended)));
    };
    const auto nearest = std::min_element(
        faults.begin(), faults.end(),
        [&](const StruckFault* a, const StruckFault* b) { return distance(a) < distance(b); });
    return nearest == faults.end() ? nullptr : *nearest;
  }

  void count_duplicate(const std::string& id, const SeenDelivery& first, const SeenDelivery& second) {
    ++verdict_.duplicates;
    if (second.mode == "hold") found(history_rule::held_once, id);
    const auto faults = faults_beside(first);
    if (const StruckFault* cause = likely_cause(faults, first); cause != nullptr)
      ++verdict_.duplicates_beside[cause->kind.empty() ? "a fault" : cause->kind];
    if (faults.empty() && (comes_late(first) || comes_late(second)))
      ++verdict_.duplicates_beside["late bytes"];
    if (faults.empty() && !comes_late(first) && !comes_late(second)) found(history_rule::twice, id);
  }

  void check_attempts(const std::string& id, const ToldJob& job) {
    if (job.stored == nullptr) return;
    const HistoryEvent& row = *job.stored;
    const auto used_up =
        std::count_if(job.attempts.begin(), job.attempts.end(), [](const RecordedAttempt& one) {
          return one.verdict != "deferred" && one.verdict != "released" && one.verdict != "configuration";
        });
    const std::string of = ": " + std::to_string(row.attempts) + " of ";
    if (row.budget > 0 && row.attempts > row.budget)
      found(history_rule::budget, id, of + std::to_string(row.budget));
    if (row.attempts > used_up) found(history_rule::counted, id, of + std::to_string(used_up) + " on record");
    if (row.finished_at == 0) return;
    const std::int64_t end = row.finished_at + rules_.slack;
    for (const RecordedAttempt& attempt : job.attempts)
      if (attempt.from > end) found(history_rule::after_end, id, ": an attempt on record");
    for (const SeenDelivery* one : job.deliveries)
      if (one->begun > end && !comes_late(*one)) found(history_rule::after_end, id, ": a delivery");
  }

  const SortedHistory& history_;
  const HistoryRules& rules_;
  HistoryVerdict& verdict_;
};

}  // namespace

std::string HistoryVerdict::page() const {
  std::ostringstream page;
  page << acknowledged << " acknowledged: " << delivered << " delivered, " << dead << " dead, " << cancelled
       << " cancelled; " << duplicates << " taken twice, " << unrecorded << " deliveries not on record\n";
  for (const auto& [rule, cases] : violations) {
    page << "  VIOLATED (" << cases.size() << "): " << rule << "\n";
    for (std::size_t i = 0; i < std::min(cases.size(), kShownMax); ++i)
      page << "    " << cases[i].text << "\n";
  }
  return page.str();
}

HistoryVerdict check_history(const std::vector<HistoryEvent>& events, const HistoryRules& rules) {
  const SortedHistory history = sort_history(events);
  HistoryVerdict verdict;
  JobRules(history, rules, verdict).check();
  check_lines(history, rules, verdict);
  return verdict;
}

}  // namespace eilbote::test
