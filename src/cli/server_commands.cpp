// serve, migrate, config: the commands that read the server's configuration. Their flags are the option table.
#include <fmt/format.h>

#include <cstdio>

#include "base/json_escape.h"
#include "cli/command.h"
#include "cli/config_flags.h"
#include "config/reference.h"

namespace eilbote::cli {
namespace {

ExitCode run_serve(const Session& session, const ConfigFlags& flags) {
  const auto loaded = load_with(flags);
  if (!is_usable(loaded)) return ExitCode::usage;
  const int code = session.actions.serve(loaded, [&flags] { return load_with(flags); });
  return code == 0 ? ExitCode::ok : ExitCode::failed;
}

std::string as_json(const MigrationReport& report) {
  std::string out = "{\"version\":";
  append_json_string(out, report.version);
  out += ",\"applied\":[";
  for (std::size_t i = 0; i < report.applied.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, report.applied[i]);
  }
  return out + "]}\n";
}

ExitCode run_migrate(const Session& session, const ConfigFlags& flags, bool json) {
  const auto loaded = load_without_listener(flags);
  if (!is_usable(loaded)) return ExitCode::usage;
  const auto done = session.actions.migrate(loaded.config);
  if (!done) {
    std::fprintf(stderr, "eilbote: migrate: %s\n", done.error().message.c_str());
    return done.error().kind == ErrorKind::unavailable ? ExitCode::unreachable : ExitCode::failed;
  }
  if (json) {
    fmt::print("{}", as_json(*done));
    return ExitCode::ok;
  }
  for (const auto& name : done->applied)
    fmt::print("applied {}\n", name);
  fmt::print("the schema is at {}{}\n", done->version,
             done->applied.empty() ? "; there was nothing to do" : "");
  return ExitCode::ok;
}

ExitCode run_config(const ConfigFlags& flags, bool json, bool sample) {
  if (sample) {
    fmt::print("{}", sample_toml());
    return ExitCode::ok;
  }
  const auto loaded = load_with(flags);
  fmt::print("{}", json ? effective_json(loaded) : effective_text(loaded));
  return is_usable(loaded) ? ExitCode::ok : ExitCode::usage;
}

void add_serve(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("serve", "Run the server until SIGTERM or Ctrl-C");
  command->footer(
      "Examples:\n"
      "  eilbote serve\n"
      "  eilbote serve --listen 127.0.0.1:9000 --data-dir /var/lib/eilbote\n"
      "  EILBOTE_STORE_URL=postgresql://mailer@db/outbox eilbote serve --config /etc/eilbote.toml\n"
      "Each option may come from its flag, its environment variable or the file, in this order. When the "
      "server\n"
      "listens it prints 'eilbote ready on http://HOST:PORT'; logs go to standard error.");
  const auto flags = add_config_flags(*command);
  on_chosen(*command, session, [&session, flags] { return run_serve(session, *flags); });
}

void add_migrate(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("migrate", "Bring the database's schema up to date");
  command->footer(
      "Example:\n"
      "  eilbote migrate --store-url postgresql://mailer@db/outbox\n"
      "Safe to run from several places at once. SQLite files are migrated by `serve` itself.");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  on_chosen(*command, session, [&session, flags, json] { return run_migrate(session, *flags, *json); });
}

void add_config(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("config", "Show the options in force and where each comes from");
  command->footer(
      "Examples:\n"
      "  eilbote config\n"
      "  eilbote config --sample > eilbote.toml\n"
      "  eilbote config --config eilbote.toml --json\n"
      "Secrets are masked. Exit code 2 when the configuration would stop the server; the faults are on "
      "standard error.");
  const auto flags = add_config_flags(*command);
  const auto json = add_json_flag(*command);
  auto sample = std::make_shared<bool>(false);
  command->add_flag("--sample", *sample, "Print a TOML file with every option at its default");
  on_chosen(*command, session, [flags, json, sample] { return run_config(*flags, *json, *sample); });
}

}  // namespace

void add_server_commands(CLI::App& app, Session& session) {
  add_serve(app, session);
  add_migrate(app, session);
  add_config(app, session);
}

}  // namespace eilbote::cli
