// status, list, retry, cancel: looking at messages and acting on them by id.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/message_acts.h"
#include "cli/message_view.h"
#include "domain/names.h"

namespace eilbote::cli {
namespace {

struct StatusFlags {
  std::string id;
  bool attempts = false;
  bool events = false;
};

struct Part {
  std::string_view name;  // of the path and of the member in JSON
  std::string (*text)(const boost::json::array&);
};
constexpr Part kAttempts{"attempts", attempts_table};
constexpr Part kEvents{"events", events_table};

ExitCode show_message(const ServerFlags& server, const StatusFlags& flags) {
  const ApiClient client(server);
  const std::string path = "/messages/" + url_escaped(flags.id);
  const auto answer = client.request({"GET", path, ""});
  if (const auto code = told_failure(answer, flags.id, server.json)) return *code;
  auto message = answer->json();
  std::string text = message_text(message);
  for (const Part& part : {kAttempts, kEvents}) {
    if (!(part.name == "attempts" ? flags.attempts : flags.events)) continue;
    const auto more = client.request({"GET", fmt::format("{}/{}", path, part.name), ""});
    if (const auto code = told_failure(more, flags.id, server.json)) return *code;
    const auto answered = more->json();
    const auto& items = items_of(answered);
    text += "\n" + part.text(items);
    if (message.is_object()) message.get_object()[part.name] = items;
  }
  fmt::print("{}", server.json ? boost::json::serialize(message) + "\n" : text);
  return ExitCode::ok;
}

ExitCode list_messages(const ServerFlags& server, const PageRequest& request) {
  MessagePages pages;
  if (const auto code = fetch_messages(ApiClient(server), request, server.json, pages)) return *code;
  if (server.json) {
    boost::json::object out{{"data", pages.data}, {"nextCursor", nullptr}};
    if (!pages.next_cursor.empty()) out["nextCursor"] = pages.next_cursor;
    fmt::print("{}\n", boost::json::serialize(out));
    return ExitCode::ok;
  }
  if (pages.data.empty() && pages.next_cursor.empty())
    fmt::print("no messages\n");
  else
    fmt::print("{}", messages_table(pages.data));
  if (!pages.next_cursor.empty()) fmt::print("there are more: --cursor {}  (or --all)\n", pages.next_cursor);
  return ExitCode::ok;
}

void add_status(CLI::App& app, Session& session) {
  const auto [command, flags] =
      add_server_command<StatusFlags>(app, session, "status", "Say what became of a message", show_message);
  command->footer("Example:\n  eilbote status 0HZX3T8Q6N2VB --attempts --events");
  command->add_option("id", flags->id, "The message's id")->required()->option_text("ID");
  command->add_flag("--attempts", flags->attempts, "Show every attempt to deliver it");
  command->add_flag("--events", flags->events, "Show every change of its status");
}

void add_message_list(CLI::App& app, Session& session) {
  const auto [command, request] =
      add_server_command<PageRequest>(app, session, "list", "List messages, newest first", list_messages);
  command->footer(
      "Examples:\n"
      "  eilbote list --status RETRY_PENDING\n"
      "  eilbote list --metadata order=4711\n"
      "  eilbote list --recipient ada@example.org --created-from 2026-01-01T00:00:00Z --all --json");
  command->add_option("--status", request->filter.status, "State: " + kMailStateNames.list());
  add_filter_flags(*command, request->filter);
  add_limit_flag(*command, request->limit, "Messages per page");
  command->add_option("--cursor", request->cursor, "Go on where the last page ended");
  command->add_flag("--all", request->all, "All pages");
}

}  // namespace

void add_message_commands(CLI::App& app, Session& session) {
  add_status(app, session);
  add_message_list(app, session);
  add_act_command(app, session, "retry",
                  "Send FAILED or BOUNCED messages again, with a fresh budget of attempts", "Message",
                  {"queued again",
                   [](const std::string& id) {
                     return ApiRequest{"POST", "/messages/" + url_escaped(id) + "/retry", ""};
                   }})
      .footer("Example:\n  eilbote retry 0HZX3T8Q6N2VB\nMany at once, by filter: eilbote dead retry --help");
  add_act_command(app, session, "cancel", "Cancel messages that are not sent yet", "Message",
                  {"cancelled",
                   [](const std::string& id) {
                     return ApiRequest{"DELETE", "/messages/" + url_escaped(id), ""};
                   }})
      .footer(
          "Example:\n  eilbote cancel 0HZX3T8Q6N2VB\nRefused once a message is being delivered, sent, or "
          "partly handed "
          "over.");
}

}  // namespace eilbote::cli
