#include "cli/describe.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "domain/delivery_codes.h"
#include "domain/states.h"
#include "metrics/metrics.h"

namespace eilbote::cli {
namespace {

constexpr std::string_view kStatesHead = R"(# States

Written by `eilbote describe states` from the table in `src/domain/states.cpp`; what is true in each state, and who moves a
row on, is said in `src/domain/states.h`. Any pair of state and event that is not in the table is refused.

## A job in the outbox

)";

constexpr std::string_view kMailHead = R"(
## What a client sees of a mail

A pure function of the row (`src/domain/public_state.h`), never stored. These are the changes that may be seen:

)";

constexpr std::string_view kErrorsHead = R"(# Errors of deliveries

Written by `eilbote describe errors` from the table in `src/domain/delivery_codes.cpp`. The code stands in `lastError.code` of a
mail and with each attempt of a mail or webhook; `eilbote send --probe` prints the advice that fits. An `x` stands for any digit.
)";

// By CodeGroup.
constexpr std::array<std::string_view, 5> kGroupTitles{
    "On the way to a relay", "Through Microsoft Graph", "On the way to an endpoint",
    "In the engine, and on the capture route", "Reasons of recipients' servers"};

constexpr std::string_view kReasonsHead =
    "Made of a server's reply, or of what a bounce says, and shown as `reason` with the mail's `lastError` "
    "and with each "
    "recipient.\nClass `transient`: the same mail may get through another time.\n\n";

// One arrow per pair of states, with all events that take it.
std::string job_chart() {
  std::string out =
      "```mermaid\nstateDiagram-v2\n    [*] --> queued: accept\n    [*] --> blocked: accept (grouped)\n";
  for (const auto& from : kJobStatusNames.entries)
    for (const auto& to : kJobStatusNames.entries) {
      std::string events;
      for (const auto& move : job_transitions())
        if (move.from == from.first && move.to == to.first)
          events += fmt::format("{}{}", events.empty() ? "" : ", ", kJobEventNames.text(move.event));
      if (!events.empty()) out += fmt::format("    {} --> {}: {}\n", from.second, to.second, events);
    }
  return out + "```\n";
}

std::string mail_chart() {
  std::string out = "```mermaid\nstateDiagram-v2\n    [*] --> QUEUED\n";
  for (const auto& [from, from_text] : kMailStateNames.entries)
    for (const auto& [to, to_text] : kMailStateNames.entries)
      if (from != to && mail_move_is_legal(from, to))
        out += fmt::format("    {} --> {}\n", from_text, to_text);
  return out + "```\n";
}

std::string_view kind_text(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter:
      return "counter";
    case MetricKind::gauge:
      return "gauge";
    case MetricKind::histogram:
      return "histogram";
  }
  return "?";
}

}  // namespace

std::string states_markdown() {
  std::string out(kStatesHead);
  out += job_chart();
  out += "\n| from | event | to |\n|---|---|---|\n";
  for (const auto& move : job_transitions())
    out += fmt::format("| {} | {} | {} |\n", kJobStatusNames.text(move.from), kJobEventNames.text(move.event),
                       kJobStatusNames.text(move.to));
  out += kMailHead;
  out += mail_chart();
  return out;
}

std::string metrics_markdown() {
  std::string out =
      "# Metrics\n\nWritten by `eilbote describe metrics` from the table in `src/metrics/metrics.cpp`; "
      "served at "
      "`/metrics` in\nPrometheus text format. Times are in seconds.\n\n| metric | kind | labels | meaning |\n"
      "|---|---|---|---|\n";
  for (const auto& row : metric_table()) {
    std::string labels;
    for (const auto& label : row.labels)
      labels += (labels.empty() ? "`" : ", `") + label + "`";
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.name, kind_text(row.kind), labels, row.help);
  }
  return out;
}

std::string errors_markdown() {
  std::string out(kErrorsHead);
  std::optional<CodeGroup> group;
  for (const DeliveryAdvice& row : delivery_advice_table()) {
    const bool is_reason = row.group == CodeGroup::reason;
    if (group != row.group)
      out += fmt::format("\n## {}\n\n{}| code |{} what it means | what to do |\n|---|---|---|{}\n",
                         kGroupTitles.at(static_cast<std::size_t>(row.group)), is_reason ? kReasonsHead : "",
                         is_reason ? " class |" : "", is_reason ? "---|" : "");
    group = row.group;
    const std::string kind =
        row.verdict ? fmt::format(" {} |", kVerdictNames.text(*row.verdict)) : std::string();
    out += fmt::format("| `{}` |{} {} | {} |\n", row.code, kind, row.meaning, row.what_to_do);
  }
  return out;
}

std::string routes_markdown(const std::vector<RouteLine>& routes) {
  std::string out = "# Routes\n\n| method | path | scope | name |\n|---|---|---|---|\n";
  for (const auto& route : routes)
    out += fmt::format("| {} | `{}` | {} | {} |\n", route.method, route.path, route.scope, route.name);
  return out;
}

}  // namespace eilbote::cli
