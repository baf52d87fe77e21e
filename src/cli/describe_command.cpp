// describe, version: what this program is made of, from its own tables.
#include <fmt/format.h>

#include "base/json_escape.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "config/reference.h"

namespace eilbote::cli {
namespace {

std::string document(const Session& session, const std::string& what) {
  if (what == "states") return states_markdown();
  if (what == "options") return options_markdown();
  if (what == "metrics") return metrics_markdown();
  if (what == "errors") return errors_markdown();
  return routes_markdown(session.actions.routes());
}

ExitCode run_describe(const Session& session, const std::string& what, bool json) {
  std::string text = document(session, what);
  if (json) {
    std::string quoted;
    append_json_string(quoted, text);
    text = fmt::format("{{\"what\":\"{}\",\"markdown\":{}}}\n", what, quoted);
  }
  fmt::print("{}", text);
  return ExitCode::ok;
}

ExitCode run_version(bool json) {
  if (json)
    fmt::print("{{\"name\":\"eilbote\",\"version\":\"{}\"}}\n", EILBOTE_VERSION);
  else
    fmt::print("eilbote {}\n", EILBOTE_VERSION);
  return ExitCode::ok;
}

}  // namespace

void add_describe_command(CLI::App& app, Session& session) {
  auto* describe =
      app.add_subcommand("describe", "Print a reference as Markdown, from the program's own tables");
  describe->footer("Example:\n  eilbote describe options > docs/configuration.md");
  auto what = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  describe->add_option("what", *what, "states, options, metrics, errors or routes")
      ->required()
      ->check(CLI::IsMember({"states", "options", "metrics", "errors", "routes"}))
      ->option_text("WHAT");
  describe->add_flag("--json", *json, "Print JSON with the Markdown in it");
  on_chosen(*describe, session, [&session, what, json] { return run_describe(session, *what, *json); });

  auto* version = app.add_subcommand("version", "Print the version");
  const auto version_json = add_json_flag(*version);
  on_chosen(*version, session, [version_json] { return run_version(*version_json); });
}

}  // namespace eilbote::cli
