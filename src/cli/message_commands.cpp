// status, list, retry, cancel: looking at messages and acting on them by id.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/api_client.h"
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

ExitCode run_status(const ServerFlags& server, const StatusFlags& flags) {
  const ApiClient client(server);
  const std::string path = "/messages/" + url_escaped(flags.id);
  const auto answer = client.request({"GET", path, ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, flags.id, server.json);
  auto message = answer->json();
  std::string text = message_text(message);
  for (const Part& part : {kAttempts, kEvents}) {
    if (!(part.name == "attempts" ? flags.attempts : flags.events)) continue;
    const auto more = client.request({"GET", fmt::format("{}/{}", path, part.name), ""});
    if (!more) return tell_unreachable(more.error());
    if (!more->good()) return tell_refusal(*more, flags.id, server.json);
    const auto answered = more->json();
    const auto& items = items_of(answered);
    text += "\n" + part.text(items);
    if (message.is_object()) message.get_object()[part.name] = items;
  }
  fmt::print("{}", server.json ? boost::json::serialize(message) + "\n" : text);
  return ExitCode::ok;
}

ExitCode run_list(const ServerFlags& server, const PageRequest& request) {
  MessagePages pages;
  ExitCode code = ExitCode::ok;
  if (!fetch_messages(ApiClient(server), request, server.json, pages, code)) return code;
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
  auto* command = app.add_subcommand("status", "Say what became of a message");
  command->footer("Example:\n  eilbote status 0HZX3T8Q6N2VB --attempts --events");
  const auto server = add_server_flags(*command, session);
  auto flags = std::make_shared<StatusFlags>();
  command->add_option("id", flags->id, "The message's id")->required()->option_text("ID");
  command->add_flag("--attempts", flags->attempts, "Show every attempt to deliver it");
  command->add_flag("--events", flags->events, "Show every change of its status");
  command->callback(
      [&session, server, flags] { session.run = [server, flags] { return run_status(*server, *flags); }; });
}

void add_message_list(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("list", "List messages, newest first");
  command->footer(
      "Examples:\n"
      "  eilbote list --status RETRY_PENDING\n"
      "  eilbote list --recipient ada@example.org --created-from 2026-01-01T00:00:00Z --all --json");
  const auto server = add_server_flags(*command, session);
  auto request = std::make_shared<PageRequest>();
  command->add_option("--status", request->filter.status, "State: " + kMailStateNames.list());
  add_filter_flags(*command, request->filter);
  command->add_option("--limit", request->limit, "Messages per page, 1 to 200")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  command->add_option("--cursor", request->cursor, "Go on where the last page ended");
  command->add_flag("--all", request->all, "All pages");
  command->callback([&session, server, request] {
    session.run = [server, request] { return run_list(*server, *request); };
  });
}

void add_act(CLI::App& app, Session& session, const std::string& name, const std::string& help,
             const std::string& footer, const MessageAct& act) {
  auto* command = app.add_subcommand(name, help);
  command->footer(footer);
  const auto server = add_server_flags(*command, session);
  auto ids = std::make_shared<std::vector<std::string>>();
  command->add_option("ids", *ids, "Message ids")->required()->option_text("ID...");
  command->callback([&session, server, ids, act] {
    session.run = [server, ids, act] { return act_on_each(ApiClient(*server), *ids, act, server->json); };
  });
}

}  // namespace

void add_message_commands(CLI::App& app, Session& session) {
  add_status(app, session);
  add_message_list(app, session);
  add_act(app, session, "retry", "Send FAILED or BOUNCED messages again, with a fresh budget of attempts",
          "Example:\n  eilbote retry 0HZX3T8Q6N2VB\nMany at once, by filter: eilbote dead retry --help",
          {"queued again", [](const std::string& id) {
             return ApiRequest{"POST", "/messages/" + url_escaped(id) + "/retry", ""};
           }});
  add_act(app, session, "cancel", "Cancel messages that are not sent yet",
          "Example:\n  eilbote cancel 0HZX3T8Q6N2VB\nRefused once a message is being delivered, sent, or "
          "partly handed "
          "over.",
          {"cancelled", [](const std::string& id) {
             return ApiRequest{"DELETE", "/messages/" + url_escaped(id), ""};
           }});
}

}  // namespace eilbote::cli
