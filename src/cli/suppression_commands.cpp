// suppressions: the addresses a client's mails no longer go to, and how to put one on the list or take it off. reports: the
// bounces, receipts and events that came in about mails.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/text_table.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

// ---- suppressions ----

struct SuppressionFlags {
  std::string address, client, reason, cursor;
  int limit = 50;
};

std::string suppressions_table(const json::array& entries) {
  static constexpr ViewField kColumns[] = {{"ADDRESS", "address"},
                                           {"CLIENT", "clientId"},
                                           {"SINCE", "since"},
                                           {"MESSAGE", "messageId"},
                                           {"REASON", "reason"}};
  return fields_table(entries, kColumns);
}

ExitCode list_suppressions(const ServerFlags& server, const SuppressionFlags& flags) {
  std::string path = fmt::format("/suppressions?limit={}", flags.limit);
  if (!flags.address.empty()) path += "&address=" + url_escaped(flags.address);
  if (!flags.client.empty()) path += "&clientId=" + url_escaped(flags.client);
  if (!flags.cursor.empty()) path += "&cursor=" + url_escaped(flags.cursor);
  return ask_list(server, path, {"no suppressed addresses", suppressions_table, "there are more"});
}

ExitCode add_suppression(const ServerFlags& server, const SuppressionFlags& flags) {
  json::object body{{"address", flags.address}};
  if (!flags.reason.empty()) body["reason"] = flags.reason;
  if (!flags.client.empty()) body["clientId"] = flags.client;
  return ask(server, {"POST", "/suppressions", json::serialize(body)}, printable(flags.address),
             [](const json::value& entry) { return suppressions_table({entry}); });
}

ExitCode remove_suppression(const ServerFlags& server, const SuppressionFlags& flags) {
  std::string path = "/suppressions/" + url_escaped(flags.address);
  if (!flags.client.empty()) path += "?clientId=" + url_escaped(flags.client);
  return ask(server, {"DELETE", path, ""}, printable(flags.address), [&](const json::value& /*none*/) {
    return fmt::format("{}: mails go to it again\n", printable(flags.address));
  });
}

CLI::App& add_suppression_list(CLI::App& parent, Session& session, const std::string& name,
                               const std::string& help) {
  const auto [command, flags] =
      add_server_command<SuppressionFlags>(parent, session, name, help, list_suppressions);
  command->add_option("--address", flags->address, "Only this address");
  command->add_option("--client", flags->client, "Only this client's list");
  command->add_option("--cursor", flags->cursor, "Go on where an earlier page ended");
  add_limit_flag(*command, flags->limit, "Entries at most");
  return *command;
}

ServerCommand<SuppressionFlags> add_suppression_act(CLI::App& suppressions, Session& session,
                                                    const std::string& act, const std::string& help,
                                                    ExitCode (*run)(const ServerFlags&,
                                                                    const SuppressionFlags&)) {
  const auto made = add_server_command<SuppressionFlags>(suppressions, session, act, help, run);
  made.app->add_option("address", made.flags->address, "The address")->required()->option_text("ADDRESS");
  made.app->add_option("--client", made.flags->client, "Whose list; the caller's own when it is left out");
  return made;
}

// ---- reports ----

struct ReportFlags {
  bool unmatched = false;
  std::string message, cursor;
  int limit = 50;
};

// "ada@example.org failed 5.1.1, bob@example.org delayed".
std::string said_text(const json::value& item) {
  boost::system::error_code none;
  const json::value* recipients = item.find_pointer("/report/recipients", none);
  std::string text;
  if (recipients == nullptr || !recipients->is_array()) return text;
  for (const json::value& one : recipients->get_array()) {
    std::string words;
    for (const char* member : {"address", "action", "status"})
      if (const std::string word = member_text(one, member); !word.empty())
        words += (words.empty() ? "" : " ") + word;
    text += (text.empty() ? "" : ", ") + words;
  }
  return text;
}

std::string reports_table(const json::array& reports) {
  static constexpr ViewField kColumns[] = {
      {"AT", "at"}, {"SOURCE", "source"}, {"MESSAGE", "messageId"}, {"SAYS", "", said_text}};
  return fields_table(reports, kColumns);
}

ExitCode list_reports(const ServerFlags& server, const ReportFlags& flags) {
  std::string path = fmt::format("/reports?limit={}", flags.limit);
  if (flags.unmatched) path += "&matched=false";
  if (!flags.message.empty()) path += "&messageId=" + url_escaped(flags.message);
  if (!flags.cursor.empty()) path += "&cursor=" + url_escaped(flags.cursor);
  return ask_list(server, path, {"no reports", reports_table, "there are more"});
}

}  // namespace

void add_suppressions_command(CLI::App& app, Session& session) {
  // Without a subcommand it is the list, too.
  CLI::App& suppressions =
      add_suppression_list(app, session, "suppressions", "Addresses no mail goes to because they bounced");
  suppressions.footer(
      "Examples:\n"
      "  eilbote suppressions\n"
      "  eilbote suppressions add ada@example.org --reason 'asked not to be written to'\n"
      "  eilbote suppressions remove ada@example.org --client shop");
  suppressions.require_subcommand(0, 1);
  add_suppression_list(suppressions, session, "list", "The list, by client and address");
  const auto add =
      add_suppression_act(suppressions, session, "add", "Put an address on the list", add_suppression);
  add.app->add_option("--reason", add.flags->reason, "Why, for those who wonder later");
  add_suppression_act(suppressions, session, "remove", "Take it off: mails go to it again",
                      remove_suppression);
}

void add_reports_command(CLI::App& app, Session& session) {
  const auto [command, flags] = add_server_command<ReportFlags>(
      app, session, "reports", "Bounces, receipts and provider events that came in, newest first",
      list_reports);
  command->footer(
      "Examples:\n"
      "  eilbote reports --unmatched\n"
      "  eilbote reports --message 0PXKQ8ZT3M001");
  command->add_flag("--unmatched", flags->unmatched, "Only those that no mail was found for");
  command->add_option("--message", flags->message, "Only those about this message");
  command->add_option("--cursor", flags->cursor, "Go on where an earlier page ended");
  add_limit_flag(*command, flags->limit, "Reports at most");
}

}  // namespace eilbote::cli
