// audit: who changed what on a server, newest first.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/message_view.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct AuditFlags {
  std::string actor, action, target, from, to, cursor;
  int limit = 50;
};

std::string path_of(const AuditFlags& flags) {
  std::string path = fmt::format("/audit?limit={}", flags.limit);
  const std::pair<const char*, const std::string&> given[] = {
      {"actor", flags.actor}, {"action", flags.action}, {"target", flags.target},
      {"from", flags.from},   {"to", flags.to},         {"cursor", flags.cursor}};
  for (const auto& [name, value] : given)
    if (!value.empty()) path += fmt::format("&{}={}", name, url_escaped(value));
  return path;
}

std::string audit_table(const json::array& entries) {
  std::vector<std::vector<std::string>> rows{{"AT", "WHO", "WHAT", "TO", "DETAIL"}};
  for (const json::value& entry : entries)
    rows.push_back({member_text(entry, "at"), member_text(entry, "actor"), member_text(entry, "action"),
                    member_text(entry, "target"), printable(json::serialize(entry.at("detail")))});
  return text_table(rows);
}

ExitCode run_audit(const ServerFlags& server, const AuditFlags& flags) {
  const auto answer = ApiClient(server).request({"GET", path_of(flags), ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "", server.json);
  if (server.json) {
    fmt::print("{}\n", answer->body);
    return ExitCode::ok;
  }
  const auto body = answer->json();
  fmt::print("{}", items_of(body).empty() ? "nothing on record\n" : audit_table(items_of(body)));
  if (const std::string next = member_text(body, "nextCursor"); !next.empty())
    fmt::print("there is more: --cursor {}\n", next);
  return ExitCode::ok;
}

}  // namespace

void add_audit_command(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("audit", "Who changed what, newest first");
  command->footer(
      "Examples:\n"
      "  eilbote audit --action pool.suspend\n"
      "  eilbote audit --target account:acme --from 2026-11-01T00:00:00Z\n"
      "A target is pool:CODE, account:CODE, schema:ID, breaker:ROUTE, or the id of a message or job.");
  const auto server = add_server_flags(*command, session);
  auto flags = std::make_shared<AuditFlags>();
  command->add_option("--actor", flags->actor, "Only what this client, or client/subject, did");
  command->add_option("--action", flags->action, "Only this: pool.suspend, account.update, retry, ..");
  command->add_option("--target", flags->target, "Only what was done to this");
  command->add_option("--from", flags->from, "Not before this time (RFC 3339)");
  command->add_option("--to", flags->to, "Before this time (RFC 3339)");
  command->add_option("--cursor", flags->cursor, "Go on where an earlier page ended");
  command->add_option("--limit", flags->limit, "Entries at most, 1 to 200")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  command->callback(
      [&session, server, flags] { session.run = [server, flags] { return run_audit(*server, *flags); }; });
}

}  // namespace eilbote::cli
