// serve, migrate, config, secret: the commands that read the server's configuration. Their flags are the option
// table.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>

#include "base/json_escape.h"
#include "cli/command.h"
#include "config/loader.h"
#include "config/reference.h"

namespace eilbote::cli {
namespace {

struct ConfigFlags {
  std::map<std::string, std::string> values;  // by flag, only those given
  std::string file;
};

std::string help_of(const Option& option) {
  std::string help(option.help);
  if (!option.kind.allowed.empty()) help += " (" + option.kind.allowed + ")";
  const std::string fallback(option.computed_text.empty() ? option.fallback : option.computed_text);
  if (!fallback.empty()) help += " [" + fallback + "]";
  return help + " " + std::string(option.key);
}

std::shared_ptr<ConfigFlags> add_config_flags(CLI::App& command) {
  auto flags = std::make_shared<ConfigFlags>();
  command.add_option("--config", flags->file, "TOML file with options")
      ->envname("EILBOTE_CONFIG")
      ->option_text("FILE");
  for (const auto& option : option_table()) {
    const std::string name = flag_name(option);
    command
        .add_option_function<std::string>(
            name, [flags, name](const std::string& value) { flags->values[name] = value; }, help_of(option))
        ->group(std::string(option.section))
        ->option_text(option.kind.type);
  }
  return flags;
}

LoadedConfig load(const ConfigFlags& flags) {
  ConfigSources sources;
  sources.flags = flags.values;
  sources.file = flags.file;
  sources.environment = process_environment();
  sources.surroundings = process_surroundings();
  return load_config(sources);
}

// True when the configuration may be used; else all its faults have been told.
bool usable(const LoadedConfig& loaded) {
  for (const auto& fault : loaded.faults)
    std::fprintf(stderr, "eilbote: %s\n", fault.c_str());
  return loaded.faults.empty();
}

ExitCode run_serve(const Session& session, const ConfigFlags& flags) {
  const auto loaded = load(flags);
  if (!usable(loaded)) return ExitCode::usage;
  return session.actions.serve(loaded.config) == 0 ? ExitCode::ok : ExitCode::failed;
}

std::string as_json(const MigrationSummary& summary) {
  std::string out = "{\"version\":";
  append_json_string(out, summary.version);
  out += ",\"applied\":[";
  for (std::size_t i = 0; i < summary.applied.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, summary.applied[i]);
  }
  return out + "]}\n";
}

ExitCode run_migrate(const Session& session, const ConfigFlags& flags, bool json) {
  const auto loaded = load(flags);
  if (!usable(loaded)) return ExitCode::usage;
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
  const auto loaded = load(flags);
  fmt::print("{}", json ? effective_json(loaded) : effective_text(loaded));
  return usable(loaded) ? ExitCode::ok : ExitCode::usage;
}

constexpr std::size_t kSecretBytesMax = 64 * 1024;

// All of standard input but one line end at its end, as a file:// reference reads it.
Result<Secret> secret_from_input() {
  std::string text((std::istreambuf_iterator<char>(std::cin)), {});
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return fail(ErrorKind::invalid, "there is no secret on standard input");
  if (text.size() > kSecretBytesMax) return fail(ErrorKind::invalid, "a secret may have at most 64 KiB");
  return Secret(std::move(text));
}

ExitCode run_encrypt(const Session& session, const ConfigFlags& flags, bool json) {
  const auto loaded = load(flags);
  if (!usable(loaded)) return ExitCode::usage;
  const auto secret = secret_from_input();
  const auto reference = secret ? session.actions.encrypt_secret(loaded.config, *secret)
                                : Result<std::string>(fail(secret.error()));
  if (!reference) {
    std::fprintf(stderr, "eilbote: secret encrypt: %s\n", reference.error().message.c_str());
    return reference.error().kind == ErrorKind::invalid ? ExitCode::usage : ExitCode::failed;
  }
  // Base64 and a scheme: nothing in it needs escaping.
  fmt::print("{}", json ? fmt::format("{{\"reference\":\"{}\"}}\n", *reference) : *reference + "\n");
  return ExitCode::ok;
}

void add_secret(CLI::App& app, Session& session) {
  auto* secret = app.add_subcommand("secret", "Secrets under this installation's data key");
  secret->require_subcommand(1);
  auto* command = secret->add_subcommand("encrypt", "Read a secret from standard input, print its reference");
  command->footer(
      "Example:\n"
      "  eilbote secret encrypt < token.txt\n"
      "The reference is for service accounts (authTokenRef, signingSecretRef), on every instance with the "
      "same data key.");
  const auto flags = add_config_flags(*command);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&session, flags, json] {
    session.run = [&session, flags, json] { return run_encrypt(session, *flags, *json); };
  });
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
  command->callback(
      [&session, flags] { session.run = [&session, flags] { return run_serve(session, *flags); }; });
}

void add_migrate(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("migrate", "Bring the database's schema up to date");
  command->footer(
      "Example:\n"
      "  eilbote migrate --store-url postgresql://mailer@db/outbox\n"
      "Safe to run from several places at once. SQLite files are migrated by `serve` itself.");
  const auto flags = add_config_flags(*command);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&session, flags, json] {
    session.run = [&session, flags, json] { return run_migrate(session, *flags, *json); };
  });
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
  auto json = std::make_shared<bool>(false), sample = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->add_flag("--sample", *sample, "Print a TOML file with every option at its default");
  command->callback([&session, flags, json, sample] {
    session.run = [flags, json, sample] { return run_config(*flags, *json, *sample); };
  });
}

}  // namespace

void add_server_commands(CLI::App& app, Session& session) {
  add_serve(app, session);
  add_migrate(app, session);
  add_config(app, session);
  add_secret(app, session);
}

}  // namespace eilbote::cli
