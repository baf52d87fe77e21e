// queue: what waits, as a table of pools and ages, with the oldest and the last error of each.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/duration.h"
#include "base/time.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/capped_count.h"
#include "cli/command.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct QueueFlags {};

struct AgeColumn {
  const char* label;
  const char* path;
};
constexpr AgeColumn kAgeColumns[] = {{"<1m", "due.under1m"}, {"<5m", "due.under5m"}, {"<15m", "due.under15m"},
                                     {"<1h", "due.under1h"}, {"<4h", "due.under4h"}, {"MORE", "due.longer"},
                                     {"WAITING", "waiting"}};

std::int64_t number_in(const json::value& row, const char* path) {
  const std::string text = member_text(row, path);
  return text.empty() ? 0 : std::stoll(text);
}

// "12m" for a time twelve minutes and some seconds ago; empty for none.
std::string age_text(const std::string& at, TimePoint now) {
  const auto since = parse_rfc3339(at);
  if (!since) return "";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now - *since);
  return fmt::format("{}", seconds < std::chrono::minutes{2} ? duration_text(seconds)
                           : seconds < std::chrono::hours{2}
                               ? duration_text(std::chrono::floor<std::chrono::minutes>(seconds))
                               : fmt::format("{}h", std::chrono::floor<std::chrono::hours>(seconds).count()));
}

std::string queue_text(const json::value& answer) {
  const TimePoint now = parse_rfc3339(member_text(answer, "observedAt")).value_or(TimePoint{});
  std::vector<std::vector<std::string>> rows{{"POOL"}};
  std::vector<CappedCount> totals(std::size(kAgeColumns));
  for (const AgeColumn& column : kAgeColumns)
    rows[0].emplace_back(column.label);
  rows[0].emplace_back("OLDEST");
  std::string oldest, errors;
  for (const json::value& pool : items_of(answer)) {
    auto& row = rows.emplace_back(1, member_text(pool, "pool"));
    for (std::size_t i = 0; i < totals.size(); ++i) {
      CappedCount count;
      count.add(number_in(pool, kAgeColumns[i].path));
      totals[i].add(number_in(pool, kAgeColumns[i].path));
      row.push_back(count.text());
    }
    const std::string due = member_text(pool, "oldestDueAt");
    if (!due.empty() && (oldest.empty() || due < oldest)) oldest = due;
    row.push_back(age_text(due, now));
    if (const std::string error = member_text(pool, "lastError"); !error.empty())
      errors += fmt::format("last error in {} ({}): {}\n", printable(member_text(pool, "pool")),
                            member_text(pool, "lastErrorAt"), printable(error));
  }
  auto& total = rows.emplace_back(1, "total");
  for (const CappedCount& count : totals)
    total.push_back(count.text());
  total.push_back(age_text(oldest, now));
  return text_table(rows) + errors;
}

}  // namespace

void add_queue_command(CLI::App& app, Session& session) {
  const auto [command, flags] =
      add_server_command<QueueFlags>(app, session, "queue", "What waits, by pool and by how long it is due",
                                     [](const ServerFlags& server, const QueueFlags&) {
                                       return ask(server, {"GET", "/queue", ""}, "", queue_text);
                                     });
  command->footer(
      "Example:\n"
      "  eilbote queue\n"
      "A column counts jobs that are due since less than it says and not in a column before; WAITING also "
      "those that are\n"
      "due later. A + after a number: there are more than are counted. What waits in the database is\n"
      "counted; with a broker, jobs that are in its queues are not.");
}

}  // namespace eilbote::cli
