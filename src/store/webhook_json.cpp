#include "store/webhook_json.h"

#include <algorithm>
#include <array>
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

struct NumberField {
  std::string_view name;
  int Webhook::*member;
};
constexpr NumberField kNumbers[] = {
    {"sequence", &Webhook::sequence},
    {"timeoutSeconds", &Webhook::timeout_seconds},
    {"maxRetries", &Webhook::max_retries},
};

// Null: there is none of this name.
template <class Field, std::size_t N>
const Field* field_of(const Field (&fields)[N], std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == std::end(fields) ? nullptr : found;
}

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

std::vector<std::pair<std::string, std::string>> pairs_of(const json::value& list) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!list.is_array()) return pairs;
  for (const json::value& entry : list.get_array())
    if (entry.is_array() && entry.get_array().size() == 2)
      pairs.emplace_back(as_text(entry.get_array()[0]), as_text(entry.get_array()[1]));
  return pairs;
}

template <class Enum, std::size_t N>
void read_name(const json::value& value, const EnumNames<Enum, N>& names, Enum& into) {
  into = names.parse(as_text(value)).value_or(into);
}

void read_member(std::string_view name, const json::value& value, Webhook& webhook) {
  if (const TextField* text = field_of(kTexts, name)) {
    webhook.*text->member = as_text(value);
  } else if (const NumberField* number = field_of(kNumbers, name)) {
    if (value.is_int64()) webhook.*number->member = static_cast<int>(value.get_int64());
  } else if (name == "kind") {
    read_name(value, kDispatchKindNames, webhook.kind);
  } else if (name == "mode") {
    read_name(value, kGroupModeNames, webhook.mode);
  } else if (name == "retryStrategy") {
    read_name(value, kRetryStrategyNames, webhook.retry_strategy);
  } else if (name == "metadata") {
    webhook.metadata = pairs_of(value);
  } else if (name == "headers") {
    webhook.headers = pairs_of(value);
  } else if (name == "dataOnly") {
    if (value.is_bool()) webhook.data_only = value.get_bool();
  } else if (name == "scheduledFor") {
    webhook.scheduled_for = parse_rfc3339(as_text(value));
  }
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
  for (const NumberField& field : kNumbers) {
    open_member(out, field.name);
    out += std::to_string(webhook.*field.member);
  }
  if (webhook.scheduled_for) append_name(out, "scheduledFor", to_rfc3339(*webhook.scheduled_for));
  return out += '}';
}

Webhook webhook_from_json(std::string_view text) {
  Webhook webhook;
  // Room for what most contents are, so that reading one takes no memory but for its texts.
  std::array<unsigned char, 4096> room;
  json::monotonic_resource memory(room.data(), room.size());
  const json::value value = parse_json(text, &memory);
  if (!value.is_object()) return webhook;
  for (const auto& [name, member] : value.get_object())
    read_member({name.data(), name.size()}, member, webhook);
  return webhook;
}

}  // namespace eilbote
