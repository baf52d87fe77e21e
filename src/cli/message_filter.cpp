#include "cli/message_filter.h"

#include <boost/json.hpp>
#include <utility>

#include "base/url_escape.h"
#include "cli/api_client.h"
#include "domain/names.h"

namespace eilbote::cli {
namespace {

std::vector<std::pair<std::string, std::string>> members(const MessageFilter& filter) {
  std::vector<std::pair<std::string, std::string>> set;
  const auto add = [&](std::string name, const std::string& value) {
    if (!value.empty()) set.emplace_back(std::move(name), value);
  };
  add("status", filter.status);
  add("deadReason", filter.dead_reason);
  add("recipient", filter.recipient);
  add("tag", filter.tag);
  add("campaignId", filter.campaign_id);
  add("pool", filter.pool);
  for (const std::string& pair : filter.metadata) {
    const auto equals = pair.find('=');
    const std::string value = equals == std::string::npos ? "" : pair.substr(equals + 1);
    set.emplace_back("metadata." + pair.substr(0, equals), value);
  }
  add("createdFrom", filter.created_from);
  add("createdTo", filter.created_to);
  return set;
}

}  // namespace

bool MessageFilter::empty() const {
  return members(*this).empty();
}

std::string MessageFilter::query() const {
  std::string out;
  for (const auto& [name, value] : members(*this)) {
    if (!out.empty()) out += '&';
    out += url_escaped(name) + "=" + url_escaped(value);
  }
  return out;
}

boost::json::object MessageFilter::json() const {
  boost::json::object out;
  for (const auto& [name, value] : members(*this))
    out[name] = value;
  return out;
}

void add_filter_flags(CLI::App& command, MessageFilter& filter) {
  command.add_option("--dead-reason", filter.dead_reason, "Why it died: " + kDeadReasonNames.list());
  command.add_option("--recipient", filter.recipient, "Address of a recipient");
  command.add_option("--tag", filter.tag, "Tag");
  command.add_option("--campaign", filter.campaign_id, "Campaign id");
  command.add_option("--pool", filter.pool, "Pool, by code or id");
  command.add_option("--metadata", filter.metadata, "KEY=VALUE; may be given several times")
      ->allow_extra_args(false);  // one each, so that ids may follow
  command.add_option("--created-from", filter.created_from, "Accepted at this time (RFC 3339) or later");
  command.add_option("--created-to", filter.created_to, "Accepted before this time (RFC 3339)");
}

}  // namespace eilbote::cli
