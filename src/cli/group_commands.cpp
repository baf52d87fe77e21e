// groups: the groups that wait for a person because their job in turn is dead, and how to free them.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"
#include "cli/command.h"
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
  static constexpr ViewField kColumns[] = {
      {"GROUP", "group"}, {"CLIENT", "clientId"},          {"CHANNEL", "channel"},     {"WAITING", "waiting"},
      {"SINCE", "since"}, {"BLOCKED BY", "blockingJobId"}, {"LAST ERROR", "lastError"}};
  return fields_table(groups, kColumns);
}

ExitCode list_groups(const ServerFlags& server, const GroupFlags& flags) {
  std::string path = fmt::format("/message-groups?blocked=true&limit={}", flags.limit);
  if (!flags.client.empty()) path += "&clientId=" + url_escaped(flags.client);
  return ask_list(server, path, {"no blocked groups", groups_table});
}

ExitCode act_on_group(const ServerFlags& server, const GroupFlags& flags, const std::string& act,
                      const std::string& done) {
  json::object body{{"group", flags.group}};
  if (!flags.client.empty()) body["clientId"] = flags.client;
  if (!flags.channel.empty()) body["channel"] = flags.channel;
  return ask(server, {"POST", "/message-groups/" + act, json::serialize(body)}, "group " + flags.group,
             [&](const json::value& answer) {
               return fmt::format("{}: job {} {}\n", printable(flags.group), member_text(answer, "jobId"),
                                  done);
             });
}

CLI::App& add_group_list(CLI::App& parent, Session& session, const std::string& name,
                         const std::string& help) {
  const auto [command, flags] = add_server_command<GroupFlags>(parent, session, name, help, list_groups);
  command->add_option("--client", flags->client, "Only groups of this client");
  add_limit_flag(*command, flags->limit, "Groups at most");
  return *command;
}

void add_group_act(CLI::App& groups, Session& session, const std::string& act, const std::string& help,
                   const std::string& done) {
  const auto [command, flags] = add_server_command<GroupFlags>(
      groups, session, act, help, [act, done](const ServerFlags& server, const GroupFlags& given) {
        return act_on_group(server, given, act, done);
      });
  command->add_option("group", flags->group, "The group's name")->required()->option_text("GROUP");
  command->add_option("--client", flags->client, "Whose group, when several have one of this name");
  command->add_option("--channel", flags->channel, "Of which channel: " + kChannelNames.list());
}

}  // namespace

void add_groups_command(CLI::App& app, Session& session) {
  // Without a subcommand it is the list, too.
  CLI::App& groups =
      add_group_list(app, session, "groups", "Groups held up by a dead job: list them, and let them go on");
  groups.footer(
      "Examples:\n"
      "  eilbote groups\n"
      "  eilbote groups retry order-4711\n"
      "  eilbote groups skip order-4711 --client shop");
  groups.require_subcommand(0, 1);
  add_group_list(groups, session, "list", "Blocked groups, the longest blocked first");
  add_group_act(groups, session, "skip", "Cancel the job in turn; the group goes on with the next",
                "skipped");
  add_group_act(groups, session, "retry", "Send the job in turn again, before the others", "queued again");
}

}  // namespace eilbote::cli
