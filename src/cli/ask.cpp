#include "cli/ask.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "cli/answer_view.h"

namespace eilbote::cli {

std::optional<ExitCode> told_failure(const Result<ApiAnswer>& answer, std::string_view about, bool json) {
  if (!answer) return tell_unreachable(answer.error());
  if (!answer->good()) return tell_refusal(*answer, about, json);
  return std::nullopt;
}

ExitCode tell(const ServerFlags& server, const Result<ApiAnswer>& answer, std::string_view about,
              const AnswerText& text) {
  if (const auto code = told_failure(answer, about, server.json)) return *code;
  fmt::print("{}", server.json ? answer->body + "\n" : text(answer->json()));
  return ExitCode::ok;
}

ExitCode ask(const ServerFlags& server, const ApiRequest& request, std::string_view about,
             const AnswerText& text) {
  return tell(server, ApiClient(server).request(request), about, text);
}

ExitCode ask_list(const ServerFlags& server, const std::string& path, const ListText& list) {
  return ask(server, {"GET", path, ""}, "", [&list](const boost::json::value& answer) {
    const boost::json::array& items = items_of(answer);
    std::string out = items.empty() ? fmt::format("{}\n", list.none) : list.table(items);
    const std::string next = list.more.empty() ? "" : member_text(answer, "nextCursor");
    if (!next.empty()) out += fmt::format("{}: --cursor {}\n", list.more, next);
    return out;
  });
}

}  // namespace eilbote::cli
