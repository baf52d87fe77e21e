// What the command families share: where they hang in, and the flags that are the same everywhere.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <memory>
#include <string>

#include "cli/cli.h"

namespace eilbote::cli {

// One call of the program. Parsing only chooses `run`; it is called afterwards, when all arguments are known.
struct Session {
  const CliActions& actions;
  std::function<ExitCode()> run;
};

// The flags of a command that talks to a server.
struct ServerFlags {
  std::string server;
  bool json = false;
  std::string token_ref;  // where the token is; empty: in EILBOTE_TOKEN, if that is set
  const CliActions* actions = nullptr;
};

std::shared_ptr<ServerFlags> add_server_flags(CLI::App& command, const Session& session);

// `run` is what happens when this command was typed, and none of its subcommands.
void on_chosen(CLI::App& command, Session& session, std::function<ExitCode()> run);

// Of a command that does not talk to a server.
std::shared_ptr<bool> add_json_flag(CLI::App& command);

// --limit: how much of a list at most. `what` is "Jobs per page".
void add_limit_flag(CLI::App& command, int& limit, const std::string& what);

template <class Flags>
struct ServerCommand {
  CLI::App* app;
  std::shared_ptr<Flags> flags;  // the caller binds options to them; they live as long as the command
};

// A command that talks to a server, with the flags all of those have. Its own are added by the caller.
template <class Flags>
ServerCommand<Flags> add_server_command(CLI::App& parent, Session& session, const std::string& name,
                                        const std::string& help,
                                        std::function<ExitCode(const ServerFlags&, const Flags&)> run) {
  auto* command = parent.add_subcommand(name, help);
  const auto server = add_server_flags(*command, session);
  auto flags = std::make_shared<Flags>();
  on_chosen(*command, session, [server, flags, run = std::move(run)] { return run(*server, *flags); });
  return {command, flags};
}

// Each family adds its commands.
void add_server_commands(CLI::App& app, Session& session);       // serve, migrate, config
void add_secret_command(CLI::App& app, Session& session);        // secret
void add_rekey_command(CLI::App& app, Session& session);         // rekey
void add_send_command(CLI::App& app, Session& session);          // send
void add_message_commands(CLI::App& app, Session& session);      // status, list, retry, cancel
void add_dead_command(CLI::App& app, Session& session);          // dead
void add_jobs_command(CLI::App& app, Session& session);          // jobs
void add_accounts_command(CLI::App& app, Session& session);      // accounts
void add_pools_command(CLI::App& app, Session& session);         // pools
void add_groups_command(CLI::App& app, Session& session);        // groups
void add_suppressions_command(CLI::App& app, Session& session);  // suppressions
void add_reports_command(CLI::App& app, Session& session);       // reports
void add_audit_command(CLI::App& app, Session& session);         // audit
void add_log_level_command(CLI::App& app, Session& session);     // log-level
void add_dsn_command(CLI::App& app, Session& session);           // dsn
void add_backup_command(CLI::App& app, Session& session);        // backup
void add_import_command(CLI::App& app, Session& session);        // import
void add_queue_command(CLI::App& app, Session& session);         // queue
void add_watch_command(CLI::App& app, Session& session);         // watch
void add_doctor_command(CLI::App& app, Session& session);        // doctor
void add_describe_command(CLI::App& app, Session& session);      // describe, version

}  // namespace eilbote::cli
