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

inline std::shared_ptr<ServerFlags> add_server_flags(CLI::App& command, const Session& session) {
  auto flags = std::make_shared<ServerFlags>();
  command.add_option("--server", flags->server, "Address of the server")
      ->envname("EILBOTE_SERVER")
      ->default_val("http://127.0.0.1:8925");
  flags->actions = &session.actions;
  command
      .add_option("--token-ref", flags->token_ref,
                  "Where the token for the server is: env://NAME, file://PATH, ..; else it is taken from "
                  "EILBOTE_TOKEN")
      ->envname("EILBOTE_TOKEN_REF");
  command.add_flag("--json", flags->json, "Print JSON, as the server answered");
  return flags;
}

// Each family adds its commands.
void add_server_commands(CLI::App& app, Session& session);   // serve, migrate, config
void add_secret_command(CLI::App& app, Session& session);    // secret
void add_rekey_command(CLI::App& app, Session& session);     // rekey
void add_send_command(CLI::App& app, Session& session);      // send
void add_message_commands(CLI::App& app, Session& session);  // status, list, retry, cancel
void add_dead_command(CLI::App& app, Session& session);      // dead
void add_jobs_command(CLI::App& app, Session& session);      // jobs
void add_accounts_command(CLI::App& app, Session& session);  // accounts
void add_pools_command(CLI::App& app, Session& session);     // pools
void add_groups_command(CLI::App& app, Session& session);    // groups
void add_audit_command(CLI::App& app, Session& session);     // audit
void add_describe_command(CLI::App& app, Session& session);  // describe, version

}  // namespace eilbote::cli
