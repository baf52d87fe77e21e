#include "cli/message_acts.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/url_escape.h"
#include "cli/answer_view.h"
#include "cli/ask.h"

namespace eilbote::cli {

ExitCode act_on_each(const ApiClient& client, const std::vector<std::string>& ids, const MessageAct& act,
                     bool json) {
  ExitCode worst = ExitCode::ok;
  boost::json::array results;
  for (const auto& id : ids) {
    const auto answer = client.request(act.request(id));
    if (!answer) {
      worst = tell_unreachable(answer.error());
      break;  // what was done so far is told all the same
    }
    const bool good = answer->good();
    if (json)
      results.push_back(boost::json::object{
          {"messageId", id}, {"done", good}, {"status", answer->status}, {"answer", answer->json()}});
    else if (good)
      fmt::print("{} {}\n", id, act.done);
    if (good) continue;
    const ExitCode code = tell_refusal(*answer, id, false);
    if (worst == ExitCode::ok) worst = code;
  }
  if (json) fmt::print("{}\n", boost::json::serialize(results));
  return worst;
}

CLI::App& add_act_command(CLI::App& parent, Session& session, const std::string& name,
                          const std::string& help, const std::string& whose, const MessageAct& act) {
  using Ids = std::vector<std::string>;
  const auto [command, ids] = add_server_command<Ids>(
      parent, session, name, help, [act](const ServerFlags& server, const Ids& given) {
        return act_on_each(ApiClient(server), given, act, server.json);
      });
  command->add_option("ids", *ids, whose + " ids")->required()->option_text("ID...");
  return *command;
}

std::optional<ExitCode> fetch_messages(const ApiClient& client, const PageRequest& request, bool json,
                                       MessagePages& pages) {
  pages.next_cursor = request.cursor;
  do {
    std::string path = fmt::format("/messages?limit={}", request.limit);
    if (!request.filter.empty()) path += "&" + request.filter.query();
    if (!pages.next_cursor.empty()) path += "&cursor=" + url_escaped(pages.next_cursor);
    const auto answer = client.request({"GET", path, ""});
    if (const auto code = told_failure(answer, "", json)) return code;
    const auto page = answer->json();
    for (const auto& message : items_of(page))
      pages.data.push_back(message);
    pages.next_cursor = member_text(page, "nextCursor");
  } while (request.all && !pages.next_cursor.empty());
  return std::nullopt;
}

}  // namespace eilbote::cli
