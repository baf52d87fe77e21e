#include "api/list_filter.h"

#include <fmt/format.h>

#include <charconv>

#include "api/limits.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

template <class Enum, std::size_t N>
std::string set_enum(std::optional<Enum>& into, const EnumNames<Enum, N>& names, const std::string& value) {
  into = names.parse(value);
  return into ? "" : "must be one of: " + names.list();
}

std::string set_time(std::optional<TimePoint>& into, const std::string& value) {
  into = parse_rfc3339(value);
  return into ? "" : "must be an RFC 3339 time such as 2026-11-15T21:00:00Z";
}

std::string set_text(std::string& into, const std::string& value) {
  if (value.empty() || value.size() > kFilterTextMax)
    return fmt::format("must have 1 to {} bytes", kFilterTextMax);
  into = value;
  return "";
}

std::string set_flag(bool& into, const std::string& value) {
  into = value == "true";
  return into || value == "false" ? "" : "must be true or false";
}

std::string set_metadata(ListQuery& query, std::string_view key, const std::string& value) {
  if (key.empty()) return "must name a key: metadata.customer_id=cust_789";
  if (value.size() > kFilterMetadataMax) return fmt::format("must have at most {} bytes", kFilterMetadataMax);
  query.webhook.metadata.emplace_back(std::string(key), value);
  return "";
}

using Q = ListQuery;
using Key = std::string_view;
using Value = const std::string&;

constexpr FilterRow kMailFilters[] = {
    {"status", [](Q& q, Key, Value v) { return set_enum(q.state, kMailStateNames, v); }},
    {"deadReason", [](Q& q, Key, Value v) { return set_enum(q.dead_reason, kDeadReasonNames, v); }},
    {"recipient", [](Q& q, Key, Value v) { return set_text(q.recipient, v); }},
    {"tag", [](Q& q, Key, Value v) { return set_text(q.tag, v); }},
    {"campaignId", [](Q& q, Key, Value v) { return set_text(q.campaign_id, v); }},
    {"createdFrom", [](Q& q, Key, Value v) { return set_time(q.created_from, v); }},
    {"createdTo", [](Q& q, Key, Value v) { return set_time(q.created_to, v); }},
};

constexpr FilterRow kJobFilters[] = {
    {"status", [](Q& q, Key, Value v) { return set_enum(q.webhook.state, kWebhookStateNames, v); }},
    {"kind", [](Q& q, Key, Value v) { return set_enum(q.webhook.kind, kDispatchKindNames, v); }},
    {"mode", [](Q& q, Key, Value v) { return set_enum(q.webhook.mode, kGroupModeNames, v); }},
    {"deadReason", [](Q& q, Key, Value v) { return set_enum(q.dead_reason, kDeadReasonNames, v); }},
    {"externalId", [](Q& q, Key, Value v) { return set_text(q.webhook.external_id, v); }},
    {"source", [](Q& q, Key, Value v) { return set_text(q.webhook.source, v); }},
    {"code", [](Q& q, Key, Value v) { return set_text(q.webhook.code, v); }},
    {"subject", [](Q& q, Key, Value v) { return set_text(q.webhook.subject, v); }},
    {"eventId", [](Q& q, Key, Value v) { return set_text(q.webhook.event_id, v); }},
    {"correlationId", [](Q& q, Key, Value v) { return set_text(q.webhook.correlation_id, v); }},
    {"subscriptionId", [](Q& q, Key, Value v) { return set_text(q.webhook.subscription_id, v); }},
    {"dispatchPoolId", [](Q& q, Key, Value v) { return set_text(q.webhook.pool, v); }},
    {"messageGroup", [](Q& q, Key, Value v) { return set_text(q.webhook.group, v); }},
    {"serviceAccountId", [](Q& q, Key, Value v) { return set_text(q.webhook.service_account_id, v); }},
    {"retryable", [](Q& q, Key, Value v) { return set_flag(q.webhook.retryable, v); }},
    {"due", [](Q& q, Key, Value v) { return set_flag(q.webhook.due, v); }},
    {"createdAfter", [](Q& q, Key, Value v) { return set_time(q.created_from, v); }},
    {"createdBefore", [](Q& q, Key, Value v) { return set_time(q.created_to, v); }},
    {"metadata.", set_metadata},
};

std::string set_cursor(ListQuery& query, const std::string& value) {
  query.before = parse_job_id(value);
  return query.before ? "" : "must be the nextCursor of an earlier page";
}

Fault unknown_parameter(FilterTable table, const std::string& name) {
  const std::string close = nearest(name, list_parameters(table));
  const std::string_view shown = utf8_prefix(name, 64);
  return {"", close.empty() ? fmt::format("unknown query parameter '{}'", shown)
                            : fmt::format("unknown query parameter '{}'; did you mean '{}'?", shown, close)};
}

}  // namespace

FilterTable mail_filters() {
  return kMailFilters;
}
FilterTable job_filters() {
  return kJobFilters;
}

std::string set_page_limit(int& limit, std::string_view value) {
  int read = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  if (!whole || read < 1 || read > kPageMax)
    return fmt::format("must be a whole number from 1 to {}", kPageMax);
  limit = read;
  return "";
}

std::vector<std::string_view> names_of(FilterTable table) {
  std::vector<std::string_view> names;
  for (const FilterRow& row : table)
    names.push_back(row.name);
  return names;
}

std::vector<std::string_view> list_parameters(FilterTable table) {
  std::vector<std::string_view> names = names_of(table);
  names.insert(names.end(), {"cursor", "limit"});
  return names;
}

FilterResult set_filter(FilterTable table, ListQuery& query, std::string_view name,
                        const std::string& value) {
  for (const FilterRow& row : table) {
    if (row.name == name && !row.name.ends_with('.')) return {true, row.set(query, "", value)};
    if (row.name.ends_with('.') && name.starts_with(row.name))
      return {true, row.set(query, name.substr(row.name.size()), value)};
  }
  return {false, {}};
}

tl::expected<ListQuery, Problem> read_list_query(const Call& call, FilterTable table, ChannelKind channel) {
  const auto pairs = parse_query(call.target.query);
  if (!pairs) return tl::unexpected(to_problem(pairs.error()));
  ListQuery query;
  query.channel = channel;
  query.limit = kPageDefault;
  query.client = call.caller.only();
  std::vector<Fault> faults;
  for (const auto& [name, value] : *pairs) {
    FilterResult result = set_filter(table, query, name, value);
    if (name == "limit") result = {true, set_page_limit(query.limit, value)};
    if (name == "cursor") result = {true, set_cursor(query, value)};
    if (!result.known)
      faults.push_back(unknown_parameter(table, name));
    else if (!result.wrong.empty())
      faults.push_back({"", fmt::format("query parameter '{}' {}", utf8_prefix(name, 64), result.wrong)});
  }
  if (!faults.empty()) return tl::unexpected(invalid(std::move(faults)));
  return query;
}

}  // namespace eilbote
