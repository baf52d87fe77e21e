// doctor: looks over the configuration and everything it names, and says what is wrong and what to do about it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "cli/command.h"
#include "cli/config_flags.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

// Faults of the configuration first; with one of them the rest would be looked at with the wrong options.
std::vector<Finding> all_findings(const Session& session, const LoadedConfig& loaded) {
  std::vector<Finding> findings;
  for (const std::string& fault : loaded.faults)
    findings.push_back(
        Finding::error("configuration", fault,
                       "Correct it where it is set; `eilbote config` shows where each value comes from, "
                       "`eilbote describe options` what is allowed."));
  if (!findings.empty()) {
    findings.push_back(
        Finding::warning("everything else", "was not looked at", "Run the doctor again once that is right."));
    return findings;
  }
  const auto given = std::ranges::count_if(
      loaded.settings, [](const Setting& setting) { return setting.origin != Origin::fallback; });
  findings.push_back(
      Finding::ok("configuration", fmt::format("{} options set, the others at their defaults", given)));
  for (Finding& finding : session.actions.examine(loaded))
    findings.push_back(std::move(finding));
  return findings;
}

void print_json(const std::vector<Finding>& findings, bool good) {
  boost::json::array lines;
  for (const Finding& one : findings)
    lines.push_back({{"severity", kSeverityNames.text(one.severity)},
                     {"what", one.what},
                     {"seen", one.seen},
                     {"advice", one.advice}});
  fmt::print("{}\n",
             boost::json::serialize(boost::json::object{{"good", good}, {"findings", std::move(lines)}}));
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& one : findings) {
    fmt::print("{:<8} {}: {}\n", kSeverityNames.text(one.severity), printable(one.what), printable(one.seen));
    if (!one.advice.empty()) fmt::print("         -> {}\n", printable(one.advice));
  }
  const auto count = [&](Severity severity) {
    return std::ranges::count_if(findings, [&](const Finding& one) { return one.severity == severity; });
  };
  fmt::print("{} errors, {} warnings, {} ok\n", count(Severity::error), count(Severity::warning),
             count(Severity::ok));
}

ExitCode run_doctor(const Session& session, const ConfigFlags& flags, bool json) {
  const auto findings = all_findings(session, load_with(flags));
  const bool good =
      std::ranges::none_of(findings, [](const Finding& one) { return one.severity == Severity::error; });
  if (json)
    print_json(findings, good);
  else
    print_text(findings);
  return good ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

void add_doctor_command(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("doctor", "Look over the configuration and everything it names");
  command->footer(
      "Examples:\n"
      "  eilbote doctor\n"
      "  eilbote doctor --config /etc/eilbote/eilbote.toml --json\n"
      "Give it the configuration of the server, on the server's machine and as its user; a server may run "
      "meanwhile. It\n"
      "sends nothing and changes nothing, but for queues of the broker that are missing. Each check has five "
      "seconds. Exit\n"
      "code 1 when there is an error.");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  on_chosen(*command, session, [&session, flags, json] { return run_doctor(session, *flags, *json); });
}

}  // namespace eilbote::cli
