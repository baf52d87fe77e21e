#include "api/list_filter.h"

#include <fmt/format.h>

#include "api/limits.h"

namespace eilbote {
namespace {

template <class Enum, std::size_t N>
std::string set_enum(std::optional<Enum>& into, const EnumNames<Enum, N>& names, const std::string& value) {
  into = names.parse(value);
  return into ? "" : "must be one of: " + names.list();
}

std::string set_flag(bool& into, const std::string& value) {
  into = value == "true";
  return into || value == "false" ? "" : "must be true or false";
}

std::string set_metadata(ListQuery& query, std::string_view key, const std::string& value) {
  if (key.empty()) return "must name a key: metadata.customer_id=cust_789";
  if (value.size() > kFilterMetadataMax) return fmt::format("must have at most {} bytes", kFilterMetadataMax);
  query.metadata.emplace_back(std::string(key), value);
  return "";
}

// Who sees one client alone has it set already.
std::string set_client(ListQuery& query, const std::string& value) {
  if (query.client) return "is for tokens that see all clients (ops.read, ops.admin)";
  std::string name;
  std::string wrong = set_text(name, value);
  if (wrong.empty()) query.client = ClientName{name};
  return wrong;
}

using Q = ListQuery;
using Key = QueryKey;
using Value = QueryValue;

constexpr FilterRow kMailFilters[] = {
    {"status", [](Q& q, Key, Value v) { return set_enum(q.state, kMailStateNames, v); }},
    {"deadReason", [](Q& q, Key, Value v) { return set_enum(q.dead_reason, kDeadReasonNames, v); }},
    {"recipient", [](Q& q, Key, Value v) { return set_text(q.recipient, v); }},
    {"tag", [](Q& q, Key, Value v) { return set_text(q.tag, v); }},
    {"campaignId", [](Q& q, Key, Value v) { return set_text(q.campaign_id, v); }},
    {"pool", [](Q& q, Key, Value v) { return set_text(q.pool, v); }},
    {"createdFrom", [](Q& q, Key, Value v) { return set_time(q.created_from, v); }},
    {"createdTo", [](Q& q, Key, Value v) { return set_time(q.created_to, v); }},
    {"clientId", [](Q& q, Key, Value v) { return set_client(q, v); }},
    {"metadata.", set_metadata},
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
    {"dispatchPoolId", [](Q& q, Key, Value v) { return set_text(q.pool, v); }},
    {"messageGroup", [](Q& q, Key, Value v) { return set_text(q.webhook.group, v); }},
    {"serviceAccountId", [](Q& q, Key, Value v) { return set_text(q.webhook.service_account_id, v); }},
    {"retryable", [](Q& q, Key, Value v) { return set_flag(q.webhook.retryable, v); }},
    {"dead", [](Q& q, Key, Value v) { return set_flag(q.webhook.dead, v); }},
    {"due", [](Q& q, Key, Value v) { return set_flag(q.webhook.due, v); }},
    {"createdAfter", [](Q& q, Key, Value v) { return set_time(q.created_from, v); }},
    {"createdBefore", [](Q& q, Key, Value v) { return set_time(q.created_to, v); }},
    {"clientId", [](Q& q, Key, Value v) { return set_client(q, v); }},
    {"metadata.", set_metadata},
};

constexpr FilterRow kPageRows[] = {
    {"cursor", [](Q& q, Key, Value v) { return set_cursor(q.before, v); }},
    {"limit", [](Q& q, Key, Value v) { return set_page_limit(q.limit, v); }},
};

std::vector<FilterRow> list_rows(FilterTable table) {
  std::vector<FilterRow> rows(table.begin(), table.end());
  rows.insert(rows.end(), std::begin(kPageRows), std::end(kPageRows));
  return rows;
}

}  // namespace

FilterTable mail_filters() {
  return kMailFilters;
}
FilterTable job_filters() {
  return kJobFilters;
}

std::vector<std::string_view> list_parameters(FilterTable table) {
  return names_of<ListQuery>(list_rows(table));
}

tl::expected<ListQuery, Problem> read_list_query(const Call& call, FilterTable table, ChannelKind channel) {
  ListQuery query;
  query.channel = channel;
  query.limit = kPageDefault;
  query.client = call.caller.only();
  return read_query(call.target.query, list_rows(table), std::move(query));
}

}  // namespace eilbote
