// dead: the mails nothing retries by itself. Lists them, sends them again, gives waiting ones up.
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

ExitCode run_list(const ServerFlags& server, const DeadFlags& flags) {
  PageRequest request{flags.filter, flags.limit, "", flags.all};
  request.filter.status = "FAILED";
  MessagePages pages;
  ExitCode code = ExitCode::ok;
  if (!fetch_messages(ApiClient(server), request, server.json, pages, code)) return code;
  if (server.json) {
    fmt::print("{}\n", boost::json::serialize(pages.data));
    return ExitCode::ok;
  }
  fmt::print("{}", pages.data.empty() ? "no dead messages\n" : messages_table(pages.data));
  if (!pages.next_cursor.empty()) fmt::print("there are more; --all shows them\n");
  return ExitCode::ok;
}

void print_counts(const boost::json::value& answer, bool dry_run) {
  const auto* object = answer.if_object();
  if (object == nullptr) return;
  for (const auto& [name, value] : *object)
    if (!value.is_structured() && name != "more")
      fmt::print("{}: {}\n", std::string_view(name), boost::json::serialize(value));
  // A call takes so many at most.
  if (const auto* more = object->if_contains("more"); more != nullptr && *more == true)
    fmt::print("there are more{}\n", dry_run ? "" : ": run it again");
}

// The server does it in one call, and says what it would do with --dry-run.
ExitCode run_retry(const ServerFlags& server, const DeadFlags& flags) {
  if (!names_its_target(flags, "retry")) return ExitCode::usage;
  boost::json::object body;
  if (flags.ids.empty()) {
    body["filter"] = flags.filter.json();
    body["filter"].as_object()["status"] = "FAILED";
  } else {
    body["ids"] = boost::json::value_from(flags.ids);
  }
  if (flags.dry_run) body["dryRun"] = true;
  const auto answer = ApiClient(server).request({"POST", "/messages/requeue", boost::json::serialize(body)});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "", server.json);
  if (server.json) {
    fmt::print("{}\n", answer->body);
    return ExitCode::ok;
  }
  print_counts(answer->json(), flags.dry_run);
  return ExitCode::ok;
}

ExitCode run_abandon(const ServerFlags& server, const DeadFlags& flags) {
  if (!names_its_target(flags, "abandon")) return ExitCode::usage;
  const ApiClient client(server);
  std::vector<std::string> ids = flags.ids;
  if (ids.empty()) {
    PageRequest request{flags.filter, 200, "", true};
    if (request.filter.status.empty()) request.filter.status = kMailStateNames.text(MailState::RETRY_PENDING);
    MessagePages pages;
    ExitCode code = ExitCode::ok;
    if (!fetch_messages(client, request, server.json, pages, code)) return code;
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

using Run = ExitCode (*)(const ServerFlags&, const DeadFlags&);

std::shared_ptr<DeadFlags> add_bulk(CLI::App& dead, Session& session, const std::string& name,
                                    const std::string& help, Run run) {
  auto* command = dead.add_subcommand(name, help);
  const auto server = add_server_flags(*command, session);
  auto flags = std::make_shared<DeadFlags>();
  command->add_option("ids", flags->ids, "Message ids")->option_text("ID...");
  add_filter_flags(*command, flags->filter);
  command->add_flag("--all", flags->all, "Every one that matches; needed when there is no other filter");
  command->add_flag("--dry-run", flags->dry_run, "Only say what would be done");
  if (name == "abandon")
    command->add_option("--status", flags->filter.status,
                        "Which waiting ones: RETRY_PENDING (default) or QUEUED");
  command->callback([&session, server, flags, run] {
    session.run = [server, flags, run] { return run(*server, *flags); };
  });
  return flags;
}

}  // namespace

void add_dead_command(CLI::App& app, Session& session) {
  auto* dead =
      app.add_subcommand("dead", "Dead mails (FAILED): list them, send them again; give up waiting ones");
  dead->footer(
      "Examples:\n"
      "  eilbote dead\n"
      "  eilbote dead retry --dead-reason MaxAttemptsExceeded --dry-run\n"
      "  eilbote dead retry 0HZX3T8Q6N2VB 0HZX3T8Q6N2VC\n"
      "  eilbote dead abandon --campaign spring-sale");
  const auto server = add_server_flags(*dead, session);
  auto flags = std::make_shared<DeadFlags>();
  add_filter_flags(*dead, flags->filter);
  dead->add_option("--limit", flags->limit, "Messages per page, 1 to 200")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
  dead->add_flag("--all", flags->all, "All pages");
  dead->require_subcommand(0, 1);
  add_bulk(*dead, session, "retry", "Send dead mails again, with a fresh budget of attempts", run_retry);
  add_bulk(*dead, session, "abandon", "Give up mails that still wait: they become FAILED", run_abandon);
  // Called after a subcommand's own callback: then there is something to run already.
  dead->callback([&session, server, flags, dead] {
    if (dead->get_subcommands().empty()) session.run = [server, flags] { return run_list(*server, *flags); };
  });
}

}  // namespace eilbote::cli
