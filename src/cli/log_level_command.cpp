// log-level: what a server writes to its log, and how to have it write more or less for a while.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/duration.h"
#include "base/log.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct LevelFlags {
  std::string level, for_how_long;
};

std::string level_text(const json::value& answer) {
  const std::string level = member_text(answer, "level"), configured = member_text(answer, "configured"),
                    until = member_text(answer, "until");
  if (level == configured && until.empty()) return level + "\n";
  return fmt::format("{}{}; configured: {}\n", level, until.empty() ? "" : " until " + until, configured);
}

ExitCode run_log_level(const ServerFlags& server, const LevelFlags& flags) {
  if (flags.level.empty()) return ask(server, {"GET", "/log-level", ""}, "log level", level_text);
  json::object body{{"level", flags.level}};
  if (!flags.for_how_long.empty()) {
    const auto time = parse_duration(flags.for_how_long);
    if (!time) {
      fmt::print(stderr, "eilbote: --for: must be a duration (30s, 10m, 1h)\n");
      return ExitCode::usage;
    }
    body["forSeconds"] = std::chrono::duration_cast<std::chrono::seconds>(*time).count();
  }
  return ask(server, {"PUT", "/log-level", json::serialize(body)}, "log level", level_text);
}

}  // namespace

void add_log_level_command(CLI::App& app, Session& session) {
  const auto [command, flags] = add_server_command<LevelFlags>(
      app, session, "log-level", "What a server writes to its log; change it while it runs", run_log_level);
  command->footer(
      "Examples:\n"
      "  eilbote log-level\n"
      "  eilbote log-level debug --for 10m\n"
      "The change holds for the one instance that is asked, until its time is over, it ends,\n"
      "or its configuration is read again (SIGHUP).");
  CLI::Option* level = command->add_option("level", flags->level, log::kLevelNames.list());
  level->option_text("LEVEL");
  command
      ->add_option("--for", flags->for_how_long, "For this time; then the configured level is in force again")
      ->option_text("DURATION")
      ->needs(level);
}

}  // namespace eilbote::cli
