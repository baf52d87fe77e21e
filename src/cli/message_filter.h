// The filters of lists, the same for `list` and `dead`.
#pragma once

#include <CLI/App.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <vector>

namespace eilbote::cli {

struct MessageFilter {
  std::string status, dead_reason, recipient, tag, campaign_id, pool, created_from, created_to;
  std::vector<std::string> metadata;  // KEY=VALUE

  bool empty() const;
  std::string query() const;  // "status=FAILED&tag=x", percent-encoded
  boost::json::object json() const;
};

// All but --status, which `dead` fixes itself.
void add_filter_flags(CLI::App& command, MessageFilter& filter);

}  // namespace eilbote::cli
