// One way to ask a server and to print what it says, for every command that does: a good answer as JSON or as text for
// people, anything else on standard error with its exit code.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/api_client.h"
#include "cli/command.h"

namespace eilbote::cli {

// Nothing when the answer is good; else it has been told, and this is the exit code. `about` stands in front of what
// the server says: "job 0H...".
std::optional<ExitCode> told_failure(const Result<ApiAnswer>& answer, std::string_view about, bool json);

using AnswerText = std::function<std::string(const boost::json::value& answer)>;

// Prints a good answer, with --json as the server wrote it, else as `text` makes of it.
ExitCode tell(const ServerFlags& server, const Result<ApiAnswer>& answer, std::string_view about,
              const AnswerText& text);

ExitCode ask(const ServerFlags& server, const ApiRequest& request, std::string_view about,
             const AnswerText& text);

struct ListText {
  std::string_view none;  // "no pools"
  std::string (*table)(const boost::json::array& items);
  std::string_view more{};  // in front of the next page's cursor; empty: the list has no pages
};

// A list, or one page of it.
ExitCode ask_list(const ServerFlags& server, const std::string& path, const ListText& list);

}  // namespace eilbote::cli
