// audit: who changed what on a server, newest first.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct AuditFlags {
  std::string actor, action, target, from, to, cursor;
  int limit = 50;
};

std::string audit_path(const AuditFlags& flags) {
  std::string path = fmt::format("/audit?limit={}", flags.limit);
  const std::pair<const char*, const std::string&> given[] = {
      {"actor", flags.actor}, {"action", flags.action}, {"target", flags.target},
      {"from", flags.from},   {"to", flags.to},         {"cursor", flags.cursor}};
  for (const auto& [name, value] : given)
    if (!value.empty()) path += fmt::format("&{}={}", name, url_escaped(value));
  return path;
}

std::string audit_table(const json::array& entries) {
  static constexpr ViewField kColumns[] = {
      {"AT", "at"},
      {"WHO", "actor"},
      {"WHAT", "action"},
      {"TO", "target"},
      {"DETAIL", "", [](const json::value& entry) { return json::serialize(entry.at("detail")); }}};
  return fields_table(entries, kColumns);
}

ExitCode list_audit(const ServerFlags& server, const AuditFlags& flags) {
  return ask_list(server, audit_path(flags), {"nothing on record", audit_table, "there is more"});
}

}  // namespace

void add_audit_command(CLI::App& app, Session& session) {
  const auto [command, flags] =
      add_server_command<AuditFlags>(app, session, "audit", "Who changed what, newest first", list_audit);
  command->footer(
      "Examples:\n"
      "  eilbote audit --action pool.suspend\n"
      "  eilbote audit --target account:acme --from 2026-11-01T00:00:00Z\n"
      "A target is pool:CODE, account:CODE, schema:ID, breaker:ROUTE, suppression:ADDRESS, log-level, or the "
      "id of a message or job.");
  command->add_option("--actor", flags->actor, "Only what this client, or client/subject, did");
  command->add_option("--action", flags->action, "Only this: pool.suspend, account.update, retry, ..");
  command->add_option("--target", flags->target, "Only what was done to this");
  command->add_option("--from", flags->from, "Not before this time (RFC 3339)");
  command->add_option("--to", flags->to, "Before this time (RFC 3339)");
  command->add_option("--cursor", flags->cursor, "Go on where an earlier page ended");
  add_limit_flag(*command, flags->limit, "Entries at most");
}

}  // namespace eilbote::cli
