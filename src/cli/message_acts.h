// One act on several messages, and lists that go over several pages. Used by the message commands and by
// `dead`.
#pragma once

#include <boost/json/array.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/api_client.h"
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
// `code` says what went wrong when the list could not be had; it has been told then.
bool fetch_messages(const ApiClient& client, const PageRequest& request, bool json, MessagePages& pages,
                    ExitCode& code);

}  // namespace eilbote::cli
