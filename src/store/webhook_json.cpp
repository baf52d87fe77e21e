#include "store/webhook_json.h"

#include <boost/json.hpp>

#include "base/json_escape.h"
#include "domain/json_members.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// One member per text; what is empty is left out.
struct TextField {
  std::string_view name;
  std::string Webhook::*member;
};
constexpr TextField kTexts[] = {
    {"externalId", &Webhook::external_id},
    {"source", &Webhook::source},
    {"code", &Webhook::code},
    {"subject", &Webhook::subject},
    {"eventId", &Webhook::event_id},
    {"correlationId", &Webhook::correlation_id},
    {"subscriptionId", &Webhook::subscription_id},
    {"targetUrl", &Webhook::target_url},
    {"payloadContentType", &Webhook::payload_content_type},
    {"serviceAccountId", &Webhook::service_account_id},
    {"schemaId", &Webhook::schema_id},
    {"messageGroup", &Webhook::message_group},
    {"idempotencyKey", &Webhook::idempotency_key},
};

void open_member(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
}

void append_pairs(std::string& out, std::string_view name,
                  const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (pairs.empty()) return;
  open_member(out, name);
  out += '[';
  for (const auto& [key, value] : pairs) {
    if (out.back() != '[') out += ',';
    out += '[';
    append_json_string(out, key);
    out += ',';
    append_json_string(out, value);
    out += ']';
  }
  out += ']';
}

void append_name(std::string& out, std::string_view name, std::string_view text) {
  open_member(out, name);
  out += '"';
  out += text;
  out += '"';
}

std::vector<std::pair<std::string, std::string>> pairs_of(const json::object& object, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const json::value* member = object.if_contains(name);
  if (member == nullptr || !member->is_array()) return pairs;
  for (const json::value& entry : member->get_array())
    if (entry.is_array() && entry.get_array().size() == 2)
      pairs.emplace_back(as_text(entry.get_array()[0]), as_text(entry.get_array()[1]));
  return pairs;
}

int int_in(const json::object& object, std::string_view name, int otherwise) {
  return static_cast<int>(number_in(object, name).value_or(otherwise));
}

template <class Enum, std::size_t N>
void read_name(const json::object& object, std::string_view name, const EnumNames<Enum, N>& names,
               Enum& into) {
  if (const json::value* member = object.if_contains(name))
    into = names.parse(as_text(*member)).value_or(into);
}

}  // namespace

std::string webhook_to_json(const Webhook& webhook) {
  std::string out;
  out.reserve(320);
  out += '{';
  append_name(out, "kind", kDispatchKindNames.text(webhook.kind));
  for (const TextField& field : kTexts) {
    const std::string& text = webhook.*field.member;
    if (text.empty()) continue;
    open_member(out, field.name);
    append_json_string(out, text);
  }
  append_pairs(out, "metadata", webhook.metadata);
  append_pairs(out, "headers", webhook.headers);
  open_member(out, "dataOnly");
  out += webhook.data_only ? "true" : "false";
  append_name(out, "mode", kGroupModeNames.text(webhook.mode));
  append_name(out, "retryStrategy", kRetryStrategyNames.text(webhook.retry_strategy));
  for (const auto& [name, number] : {std::pair{"sequence", webhook.sequence},
                                     {"timeoutSeconds", webhook.timeout_seconds},
                                     {"maxRetries", webhook.max_retries}}) {
    open_member(out, name);
    out += std::to_string(number);
  }
  if (webhook.scheduled_for) append_name(out, "scheduledFor", to_rfc3339(*webhook.scheduled_for));
  return out += '}';
}

Webhook webhook_from_json(std::string_view text) {
  Webhook webhook;
  const json::value value = parse_json(text);
  if (!value.is_object()) return webhook;
  const json::object& object = value.get_object();
  for (const TextField& field : kTexts)
    if (const json::value* member = object.if_contains(field.name)) webhook.*field.member = as_text(*member);
  read_name(object, "kind", kDispatchKindNames, webhook.kind);
  read_name(object, "mode", kGroupModeNames, webhook.mode);
  read_name(object, "retryStrategy", kRetryStrategyNames, webhook.retry_strategy);
  webhook.metadata = pairs_of(object, "metadata");
  webhook.headers = pairs_of(object, "headers");
  if (const json::value* flag = object.if_contains("dataOnly"); flag != nullptr && flag->is_bool())
    webhook.data_only = flag->get_bool();
  webhook.sequence = int_in(object, "sequence", webhook.sequence);
  webhook.timeout_seconds = int_in(object, "timeoutSeconds", webhook.timeout_seconds);
  webhook.max_retries = int_in(object, "maxRetries", webhook.max_retries);
  if (const json::value* at = object.if_contains("scheduledFor"))
    webhook.scheduled_for = parse_rfc3339(as_text(*at));
  return webhook;
}

}  // namespace eilbote
