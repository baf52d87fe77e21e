// describe, version: what this program is made of, from its own tables.
#include <fmt/format.h>

#include "base/json_escape.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/describe.h"
#include "cli/man_page.h"
#include "config/reference.h"

namespace eilbote::cli {
namespace {

struct DescribeFlags {
  std::string what, shell;
  bool json = false;
};

// What only a program reads; the rest is Markdown.
bool is_for_programs(const std::string& what) {
  return what == "man" || what == "completion";
}

std::string document(const Session& session, CLI::App& app, const DescribeFlags& flags) {
  if (flags.what == "states") return states_markdown();
  if (flags.what == "options") return options_markdown();
  if (flags.what == "metrics") return metrics_markdown();
  if (flags.what == "errors") return errors_markdown();
  if (flags.what == "routes") return routes_markdown(session.actions.routes());
  const CommandEntry root = command_table(app);
  if (flags.what == "man") return man_page(root, EILBOTE_VERSION);
  return completion(*kShellNames.parse(flags.shell), root);
}

ExitCode run_describe(const Session& session, CLI::App& app, const DescribeFlags& flags) {
  const bool wants_shell = flags.what == "completion";
  if (wants_shell ? !kShellNames.parse(flags.shell) : !flags.shell.empty()) {
    fmt::print(stderr, "eilbote: describe {}: {}\n", flags.what,
               wants_shell ? "say for which shell: " + kShellNames.list() : "takes no second word");
    return ExitCode::usage;
  }
  std::string text = document(session, app, flags);
  if (flags.json) {
    std::string quoted;
    append_json_string(quoted, text);
    text = fmt::format("{{\"what\":\"{}\",\"{}\":{}}}\n", flags.what,
                       is_for_programs(flags.what) ? "text" : "markdown", quoted);
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
  auto* describe = app.add_subcommand("describe", "Print a reference, from the program's own tables");
  describe->footer(
      "Examples:\n"
      "  eilbote describe options > docs/configuration.md\n"
      "  eilbote describe man > eilbote.1\n"
      "  eilbote describe completion bash > /etc/bash_completion.d/eilbote");
  auto flags = std::make_shared<DescribeFlags>();
  describe
      ->add_option("what", flags->what,
                   "states, options, metrics, errors or routes (Markdown), man (roff), completion")
      ->required()
      ->check(CLI::IsMember({"states", "options", "metrics", "errors", "routes", "man", "completion"}))
      ->option_text("WHAT");
  describe->add_option("shell", flags->shell, "Of a completion: " + kShellNames.list())->option_text("SHELL");
  describe->add_flag("--json", flags->json, "Print JSON with the text in it");
  on_chosen(*describe, session, [&session, &app, flags] { return run_describe(session, app, *flags); });

  auto* version = app.add_subcommand("version", "Print the version");
  const auto version_json = add_json_flag(*version);
  on_chosen(*version, session, [version_json] { return run_version(*version_json); });
}

}  // namespace eilbote::cli
