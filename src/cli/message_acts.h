// One act on several messages or jobs, and lists of messages that go over several pages. Used by the message commands,
// by `dead` and by `jobs`.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/message_filter.h"

namespace eilbote::cli {

struct MessageAct {
  std::string done;  // what is printed behind the id: "cancelled"
  std::function<ApiRequest(const std::string& id)> request;
};

// Acts on each id and tells each result; the exit code is that of the first failure. One failure stops nobody
// else, but for a server that is away.
ExitCode act_on_each(const ApiClient& client, const std::vector<std::string>& ids, const MessageAct& act,
                     bool json);

// A command that acts on the ids it is given; `whose` is "Message" or "Job".
CLI::App& add_act_command(CLI::App& parent, Session& session, const std::string& name,
                          const std::string& help, const std::string& whose, const MessageAct& act);

struct MessagePages {
  boost::json::array data;
  std::string next_cursor;  // empty: there is no more
};
struct PageRequest {
  MessageFilter filter;
  int limit = 50;
  std::string cursor;
  bool all = false;  // follow the cursor to the end
};
// Nothing when the pages could be had; else it has been told why not, and this is the exit code.
std::optional<ExitCode> fetch_messages(const ApiClient& client, const PageRequest& request, bool json,
                                       MessagePages& pages);

}  // namespace eilbote::cli
