#include "cli/command.h"

namespace eilbote::cli {

void on_chosen(CLI::App& command, Session& session, std::function<ExitCode()> run) {
  // A command's callback comes after that of its subcommand: then there is something to run already.
  command.callback([&command, &session, run = std::move(run)] {
    if (command.get_subcommands().empty()) session.run = run;
  });
}

std::shared_ptr<bool> add_json_flag(CLI::App& command) {
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print JSON");
  return json;
}

std::shared_ptr<ServerFlags> add_server_flags(CLI::App& command, const Session& session) {
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

void add_limit_flag(CLI::App& command, int& limit, const std::string& what) {
  command.add_option("--limit", limit, what + ", 1 to 200")->check(CLI::Range(1, 200))->capture_default_str();
}

}  // namespace eilbote::cli
