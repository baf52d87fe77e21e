// groups: the groups that wait for a person because their job in turn is dead, and how to free them.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/message_view.h"
#include "cli/text_table.h"
#include "domain/names.h"

namespace eilbote::cli {
namespace {

namespace json = boost::json;

struct GroupFlags {
  std::string group, client, channel;
  int limit = 50;
};

std::string groups_table(const json::array& groups) {
  std::vector<std::vector<std::string>> rows{
      {"GROUP", "CLIENT", "CHANNEL", "WAITING", "SINCE", "BLOCKED BY", "LAST ERROR"}};
  for (const json::value& group : groups)
    rows.push_back({member_text(group, "group"), member_text(group, "clientId"),
                    member_text(group, "channel"), member_text(group, "waiting"), member_text(group, "since"),
                    member_text(group, "blockingJobId"), member_text(group, "lastError")});
  return text_table(rows);
}

ExitCode run_list(const ServerFlags& server, const GroupFlags& flags) {
  std::string path = fmt::format("/message-groups?blocked=true&limit={}", flags.limit);
  if (!flags.client.empty()) path += "&clientId=" + url_escaped(flags.client);
  const auto answer = ApiClient(server).request({"GET", path, ""});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "", server.json);
  if (server.json) {
    fmt::print("{}\n", answer->body);
    return ExitCode::ok;
  }
  const auto body = answer->json();
  fmt::print("{}", items_of(body).empty() ? "no blocked groups\n" : groups_table(items_of(body)));
  return ExitCode::ok;
}

ExitCode run_act(const ServerFlags& server, const GroupFlags& flags, const std::string& act,
                 std::string_view done) {
  json::object body{{"group", flags.group}};
  if (!flags.client.empty()) body["clientId"] = flags.client;
  if (!flags.channel.empty()) body["channel"] = flags.channel;
  const auto answer = ApiClient(server).request({"POST", "/message-groups/" + act, json::serialize(body)});
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, "group " + flags.group, server.json);
  if (server.json) {
    fmt::print("{}\n", answer->body);
    return ExitCode::ok;
  }
  const auto json = answer->json();
  fmt::print("{}: job {} {}\n", printable(flags.group), member_text(json, "jobId"), done);
  return ExitCode::ok;
}

void add_list_flags(CLI::App& command, GroupFlags& flags) {
  command.add_option("--client", flags.client, "Only groups of this client");
  command.add_option("--limit", flags.limit, "Groups at most, 1 to 200")
      ->check(CLI::Range(1, 200))
      ->capture_default_str();
}

void add_act(CLI::App& groups, Session& session, const std::string& act, const std::string& help,
             const std::string& done) {
  auto* command = groups.add_subcommand(act, help);
  const auto server = add_server_flags(*command, session);
  auto flags = std::make_shared<GroupFlags>();
  command->add_option("group", flags->group, "The group's name")->required()->option_text("GROUP");
  command->add_option("--client", flags->client, "Whose group, when several have one of this name");
  command->add_option("--channel", flags->channel, "Of which channel: " + kChannelNames.list());
  command->callback([&session, server, flags, act, done] {
    session.run = [server, flags, act, done] { return run_act(*server, *flags, act, done); };
  });
}

}  // namespace

void add_groups_command(CLI::App& app, Session& session) {
  auto* groups = app.add_subcommand("groups", "Groups held up by a dead job: list them, and let them go on");
  groups->footer(
      "Examples:\n"
      "  eilbote groups\n"
      "  eilbote groups retry order-4711\n"
      "  eilbote groups skip order-4711 --client shop");
  const auto server = add_server_flags(*groups, session);
  auto flags = std::make_shared<GroupFlags>();
  add_list_flags(*groups, *flags);
  groups->require_subcommand(0, 1);
  auto* list = groups->add_subcommand("list", "Blocked groups, the longest blocked first");
  const auto list_server = add_server_flags(*list, session);
  auto list_flags = std::make_shared<GroupFlags>();
  add_list_flags(*list, *list_flags);
  list->callback([&session, list_server, list_flags] {
    session.run = [list_server, list_flags] { return run_list(*list_server, *list_flags); };
  });
  add_act(*groups, session, "skip", "Cancel the job in turn; the group goes on with the next", "skipped");
  add_act(*groups, session, "retry", "Send the job in turn again, before the others", "queued again");
  groups->callback([&session, server, flags, groups] {
    if (groups->get_subcommands().empty())
      session.run = [server, flags] { return run_list(*server, *flags); };
  });
}

}  // namespace eilbote::cli
