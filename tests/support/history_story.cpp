#include "support/history_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace eilbote::test {
namespace {

constexpr std::int64_t kBeside = 5'000'000;  // faults so near to an event of the job are told
constexpr std::size_t kLinesMax = 60;

// Which events belong to these jobs: by id, by the client's name of them, by the delivery they end.
class Cast {
 public:
  Cast(const std::vector<HistoryEvent>& events, const std::vector<std::string>& ids)
      : ids_(ids.begin(), ids.end()) {
    for (const HistoryEvent& event : events) {
      if (!ids_.contains(event.id)) continue;
      if (!event.name.empty() && event.kind != HistoryKind::leased) names_.insert(event.name);
      if (event.delivery != 0) deliveries_.insert(event.delivery);
    }
  }
  bool plays(const HistoryEvent& event) const {
    if (event.kind == HistoryKind::fault) return false;
    if (!event.id.empty()) return ids_.contains(event.id);
    if (event.delivery != 0) return deliveries_.contains(event.delivery);
    return !event.name.empty() && names_.contains(event.name);
  }

 private:
  std::set<std::string> ids_, names_;
  std::set<std::int64_t> deliveries_;
};

std::string place_of(const HistoryEvent& event) {
  std::string text;
  if (!event.group.empty()) text += fmt::format(", group {} place {}", event.group, event.place);
  if (!event.mode.empty()) text += ", " + event.mode;
  if (!event.pool.empty()) text += ", pool " + event.pool;
  if (!event.by.empty()) text += ", by " + event.by;
  return text;
}

std::string in_words(const HistoryEvent& event, std::int64_t start) {
  const double took = static_cast<double>(event.until - event.at) / 1e6;
  switch (event.kind) {
    case HistoryKind::asked:
      return "a client hands in " + event.name;
    case HistoryKind::acknowledged:
      return "and is told the id " + event.id;
    case HistoryKind::refused:
      return fmt::format("and is refused with {}", event.answer);
    case HistoryKind::begun:
      return fmt::format("delivery {} of {} begins as {}{}", event.delivery, event.id, event.wire_id,
                         place_of(event));
    case HistoryKind::ended:
      return event.answer == 0 ? fmt::format("delivery {} ends without an answer", event.delivery)
                               : fmt::format("delivery {} is answered {}", event.delivery, event.answer);
    case HistoryKind::fault:
      return fmt::format("FAULT, {:.3f} s: {} ({}){}", took, event.status, event.name,
                         event.by.empty() ? "" : ", only " + event.by);
    case HistoryKind::attempt:
      return fmt::format("on record: an attempt of {}, {:.3f} s, {}", event.id, took, event.status);
    case HistoryKind::stored:
      return fmt::format("in the end {} is {}{}{}, {} of {} attempts used, finished at {:+.3f} s", event.id,
                         event.status, event.dead_reason.empty() ? "" : " ", event.dead_reason,
                         event.attempts, event.budget, static_cast<double>(event.finished_at - start) / 1e6);
    case HistoryKind::cancelled:
      return "a client is told that " + event.id + " is cancelled";
    case HistoryKind::leased:
      return event.name + " is killed and holds the lease of " + event.id;
    case HistoryKind::limits:
      return "";
  }
  return "";
}

std::string line(const HistoryEvent& event, std::int64_t start) {
  return fmt::format("  {:+12.3f} s  {}\n", static_cast<double>(event.at - start) / 1e6,
                     in_words(event, start));
}

}  // namespace

std::string tell_violation(const std::vector<HistoryEvent>& events, std::string_view rule,
                           const HistoryViolation& violation) {
  const Cast cast(events, violation.ids);
  std::vector<const HistoryEvent*> told;
  std::int64_t from = 0, until = 0;
  for (const HistoryEvent& event : events) {
    if (!cast.plays(event)) continue;
    told.push_back(&event);
    if (event.kind == HistoryKind::stored) continue;  // read long after all was over
    from = from == 0 ? event.at : std::min(from, event.at);
    until = std::max({until, event.at, event.until});
  }
  for (const HistoryEvent& event : events)
    if (event.kind == HistoryKind::fault && event.at <= until + kBeside &&
        std::max(event.at, event.until) >= from - kBeside)
      told.push_back(&event);
  std::stable_sort(told.begin(), told.end(),
                   [](const HistoryEvent* a, const HistoryEvent* b) { return a->at < b->at; });
  std::string page = fmt::format("VIOLATED: {}\n  {}\n  seconds since the first of it, {} us since 1970\n",
                                 rule, violation.text, from);
  for (std::size_t i = 0; i < std::min(told.size(), kLinesMax); ++i)
    page += line(*told[i], from);
  if (told.size() > kLinesMax) page += fmt::format("  and {} more events\n", told.size() - kLinesMax);
  return page;
}

std::string tell_violations(const std::vector<HistoryEvent>& events, const HistoryVerdict& verdict,
                            int at_most) {
  std::string pages;
  int left = at_most;
  const int each = std::max<int>(1, at_most / std::max<int>(1, static_cast<int>(verdict.violations.size())));
  for (const auto& [rule, cases] : verdict.violations)
    for (std::size_t i = 0; i < cases.size() && static_cast<int>(i) < each && left > 0; ++i, --left)
      pages += tell_violation(events, rule, cases[i]) + "\n";
  return pages;
}

}  // namespace eilbote::test
