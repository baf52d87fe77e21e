#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <cstdio>
#include <exception>

#include "base/nearest.h"
#include "cli/command.h"

namespace eilbote {
namespace {

constexpr std::string_view kFirstSteps = R"(Start with:
  eilbote serve                      a server on SQLite in ./eilbote-data, mails become files
  eilbote send --from a@example.org --to b@example.org --subject Hello --text "Hi."
  eilbote list

)";

std::string footer() {
  std::string codes;
  for (const auto& [code, meaning] : kExitCodeMeanings.entries)
    codes += fmt::format("{}{} {}", codes.empty() ? "" : ", ", static_cast<int>(code), meaning);
  return fmt::format(
      "{}Exit codes: {}.\nOptions of the server: eilbote serve --help, or eilbote describe options.",
      kFirstSteps, codes);
}

// The command that was typed, as deep as it goes.
CLI::App& chosen(CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : chosen(*commands.front());
}

// "dead retry": the words that lead to a command; none for the program itself.
std::string words_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  const std::string above = words_of(*command.get_parent());
  return above.empty() ? command.get_name() : above + " " + command.get_name();
}

std::vector<std::string> known_words(CLI::App& command, bool flags) {
  std::vector<std::string> words;
  if (flags)
    for (const auto* option : command.get_options())
      for (const auto& name : option->get_lnames())
        words.push_back("--" + name);
  else
    for (const auto* sub : command.get_subcommands({}))
      words.push_back(sub->get_name());
  return words;
}

// "unknown flag --lsten for serve; did you mean --listen?"
void tell_unknown(CLI::App& app) {
  CLI::App& command = chosen(app);
  for (const auto& word : app.remaining(true)) {
    const bool flag = word.starts_with("-");
    const std::string close = nearest(word.substr(0, word.find('=')), known_words(command, flag));
    const std::string place = &command == &app ? "" : " for " + words_of(command);
    std::fprintf(stderr, "eilbote: unknown %s %s%s%s\n", flag ? "flag" : "argument", word.c_str(),
                 place.c_str(), close.empty() ? "" : ("; did you mean " + close + "?").c_str());
  }
}

int parse_failed(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help
    app.exit(error);
    return static_cast<int>(ExitCode::ok);
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    tell_unknown(app);
  else
    std::fprintf(stderr, "eilbote: %s\n", error.what());
  CLI::App& command = chosen(app);
  std::fprintf(stderr, "See: eilbote%s --help\n", &command == &app ? "" : (" " + words_of(command)).c_str());
  return static_cast<int>(ExitCode::usage);
}

}  // namespace

int run_cli(int argc, const char* const* argv, const CliActions& actions) {
  CLI::App app(
      "Eilbote takes mails and webhooks over HTTP, commits them before it says yes, and delivers them.",
      "eilbote");
  app.footer(footer());
  app.get_formatter()->column_width(36);
  cli::Session session{actions, {}};
  try {
    cli::add_server_commands(app, session);
    cli::add_secret_command(app, session);
    cli::add_rekey_command(app, session);
    cli::add_send_command(app, session);
    cli::add_message_commands(app, session);
    cli::add_dead_command(app, session);
    cli::add_jobs_command(app, session);
    cli::add_accounts_command(app, session);
    cli::add_pools_command(app, session);
    cli::add_groups_command(app, session);
    cli::add_suppressions_command(app, session);
    cli::add_reports_command(app, session);
    cli::add_audit_command(app, session);
    cli::add_log_level_command(app, session);
    cli::add_dsn_command(app, session);
    cli::add_backup_command(app, session);
    cli::add_import_command(app, session);
    cli::add_queue_command(app, session);
    cli::add_watch_command(app, session);
    cli::add_doctor_command(app, session);
    cli::add_describe_command(app, session);
    app.parse(argc, argv);
    if (session.run) return static_cast<int>(session.run());
    std::fputs(chosen(app).help().c_str(), stderr);
    return static_cast<int>(ExitCode::usage);
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "eilbote: %s\n", error.what());
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace eilbote
