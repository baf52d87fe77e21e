// dead: the mails nothing retries by itself. Lists them, sends them again, gives waiting ones up.
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

constexpr std::string_view kDead = kMailStateNames.text(MailState::FAILED);
constexpr std::string_view kWaiting = kMailStateNames.text(MailState::RETRY_PENDING);

struct DeadFlags {
  std::vector<std::string> ids;
  MessageFilter filter;
  int limit = 50;
  bool dry_run = false;
  bool all = false;
};

// By ids or by filter, never both and never neither: a forgotten flag must not touch everything.
bool names_its_target(const DeadFlags& flags, const char* command) {
  const bool by_filter = flags.all || !flags.filter.empty();
  if (!flags.ids.empty() != by_filter) return true;
  fmt::print(stderr, "eilbote: dead {} needs ids or a filter (--all for all), and not both\n", command);
  return false;
}

ExitCode list_dead(const ServerFlags& server, const DeadFlags& flags) {
  PageRequest request{flags.filter, flags.limit, "", flags.all};
  request.filter.status = kDead;
  MessagePages pages;
  if (const auto code = fetch_messages(ApiClient(server), request, server.json, pages)) return *code;
  if (server.json) {
    fmt::print("{}\n", boost::json::serialize(pages.data));
    return ExitCode::ok;
  }
  fmt::print("{}", pages.data.empty() ? "no dead messages\n" : messages_table(pages.data));
  if (!pages.next_cursor.empty()) fmt::print("there are more; --all shows them\n");
  return ExitCode::ok;
}

std::string counts_text(const boost::json::value& answer, bool dry_run) {
  const auto* object = answer.if_object();
  if (object == nullptr) return "";
  std::string out;
  for (const auto& [name, value] : *object)
    if (!value.is_structured() && name != "more")
      out += fmt::format("{}: {}\n", std::string_view(name), boost::json::serialize(value));
  // A call takes so many at most.
  if (const auto* more = object->if_contains("more"); more != nullptr && *more == true)
    out += fmt::format("there are more{}\n", dry_run ? "" : ": run it again");
  return out;
}

// The server does it in one call, and says what it would do with --dry-run.
ExitCode retry_dead(const ServerFlags& server, const DeadFlags& flags) {
  if (!names_its_target(flags, "retry")) return ExitCode::usage;
  boost::json::object body;
  if (flags.ids.empty()) {
    body["filter"] = flags.filter.json();
    body["filter"].as_object()["status"] = kDead;
  } else {
    body["ids"] = boost::json::value_from(flags.ids);
  }
  if (flags.dry_run) body["dryRun"] = true;
  return ask(server, {"POST", "/messages/requeue", boost::json::serialize(body)}, "",
             [&](const boost::json::value& answer) { return counts_text(answer, flags.dry_run); });
}

ExitCode abandon_waiting(const ServerFlags& server, const DeadFlags& flags) {
  if (!names_its_target(flags, "abandon")) return ExitCode::usage;
  const ApiClient client(server);
  std::vector<std::string> ids = flags.ids;
  if (ids.empty()) {
    PageRequest request{flags.filter, 200, "", true};
    if (request.filter.status.empty()) request.filter.status = kWaiting;
    MessagePages pages;
    if (const auto code = fetch_messages(client, request, server.json, pages)) return *code;
    for (const auto& message : pages.data)
      ids.push_back(member_text(message, "messageId"));
  }
  if (flags.dry_run) {
    if (server.json)
      fmt::print("{}\n", boost::json::serialize(boost::json::value_from(ids)));
    else
      for (const auto& id : ids)
        fmt::print("{} would be given up\n", id);
    return ExitCode::ok;
  }
  const MessageAct act{"given up", [](const std::string& id) {
                         return ApiRequest{"POST", "/messages/" + url_escaped(id) + "/abandon", ""};
                       }};
  return act_on_each(client, ids, act, server.json);
}

ServerCommand<DeadFlags> add_bulk(CLI::App& dead, Session& session, const std::string& name,
                                  const std::string& help,
                                  ExitCode (*run)(const ServerFlags&, const DeadFlags&)) {
  auto command = add_server_command<DeadFlags>(dead, session, name, help, run);
  auto& [app, flags] = command;
  app->add_option("ids", flags->ids, "Message ids")->option_text("ID...");
  add_filter_flags(*app, flags->filter);
  app->add_flag("--all", flags->all, "Every one that matches; needed when there is no other filter");
  app->add_flag("--dry-run", flags->dry_run, "Only say what would be done");
  return command;
}

}  // namespace

void add_dead_command(CLI::App& app, Session& session) {
  const auto [dead, flags] = add_server_command<DeadFlags>(
      app, session, "dead", "Dead mails (FAILED): list them, send them again; give up waiting ones",
      list_dead);
  dead->footer(
      "Examples:\n"
      "  eilbote dead\n"
      "  eilbote dead retry --dead-reason MaxAttemptsExceeded --dry-run\n"
      "  eilbote dead retry 0HZX3T8Q6N2VB 0HZX3T8Q6N2VC\n"
      "  eilbote dead abandon --campaign spring-sale");
  add_filter_flags(*dead, flags->filter);
  add_limit_flag(*dead, flags->limit, "Messages per page");
  dead->add_flag("--all", flags->all, "All pages");
  dead->require_subcommand(0, 1);
  add_bulk(*dead, session, "retry", "Send dead mails again, with a fresh budget of attempts", retry_dead);
  const auto [abandon, of_abandon] = add_bulk(
      *dead, session, "abandon", "Give up mails that still wait: they become FAILED", abandon_waiting);
  abandon->add_option("--status", of_abandon->filter.status,
                      fmt::format("Which waiting ones: {} (default) or {}", kWaiting,
                                  kMailStateNames.text(MailState::QUEUED)));
}

}  // namespace eilbote::cli
