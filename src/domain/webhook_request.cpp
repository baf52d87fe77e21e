#include "domain/webhook_request.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/json_escape.h"
#include "domain/tsid.h"
#include "domain/webhook_headers.h"
#include "domain/webhook_signature.h"

namespace eilbote {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kJson = "application/json";
constexpr std::size_t kOwnHeadersMax = 16;

void append_member(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (out.size() > 1) out += ',';
  append_json_string(out, name);
  out += ':';
  append_json_string(out, value);
}

// A JSON payload goes in as it was given: what is signed and checked against a schema is what arrives.
std::string envelope(const Webhook& webhook, const WebhookOccasion& occasion) {
  std::string out = "{";
  append_member(out, "id", to_text(occasion.job));
  append_member(out, "kind", kDispatchKindNames.text(webhook.kind));
  append_member(out, "code", webhook.code);
  append_member(out, "subject", webhook.subject);
  append_member(out, "eventId", webhook.event_id);
  append_member(out, "correlationId", webhook.correlation_id);
  append_member(out, "timestamp", to_rfc3339(occasion.at));
  if (!webhook.payload.empty()) {
    out += ",\"data\":";
    if (is_json_media_type(webhook.payload_content_type))
      out += webhook.payload;
    else
      append_json_string(out, webhook.payload);
  }
  out += '}';
  return out;
}

bool has_header(const Headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& one) { return same_but_for_case(one.first, name); });
}

void add_if_set(Headers& headers, const char* name, std::string_view value) {
  // A text that no header can carry stays in the envelope alone.
  if (!value.empty() && is_http_header_value(value)) headers.emplace_back(name, value);
}

void add_flowcatalyst(Headers& headers, const Webhook& webhook, const WebhookKeys& keys,
                      const WebhookOccasion& occasion, std::string_view body) {
  headers.emplace_back("X-FlowCatalyst-ID", to_text(occasion.job));
  add_if_set(headers, "X-FlowCatalyst-Causation-ID", webhook.event_id);
  headers.emplace_back("X-FlowCatalyst-Kind", kDispatchKindNames.text(webhook.kind));
  add_if_set(headers, "X-FlowCatalyst-Code", webhook.code);
  add_if_set(headers, "X-FlowCatalyst-Subject", webhook.subject);
  add_if_set(headers, "X-FlowCatalyst-Correlation-ID", webhook.correlation_id);
  if (keys.signing.empty()) return;
  // One signature has room here: the current key's.
  const std::string timestamp = to_rfc3339(occasion.at);
  headers.emplace_back("X-FLOWCATALYST-SIGNATURE",
                       flowcatalyst_signature(keys.signing.front(), timestamp, body));
  headers.emplace_back("X-FLOWCATALYST-TIMESTAMP", timestamp);
}

void add_signature(Headers& headers, const Webhook& webhook, const WebhookKeys& keys,
                   const WebhookOccasion& occasion, std::string_view body) {
  const std::string id = to_text(occasion.job);
  headers.emplace_back("webhook-id", id);
  headers.emplace_back("webhook-timestamp", standard_timestamp(occasion.at));
  if (keys.style == SignatureStyle::flowcatalyst)
    add_flowcatalyst(headers, webhook, keys, occasion, body);
  else if (!keys.signing.empty())
    headers.emplace_back("webhook-signature", standard_signature(keys.signing, id, occasion.at, body));
}

}  // namespace

WebhookRequest make_webhook_request(Webhook&& webhook, const WebhookKeys& keys,
                                    const WebhookOccasion& occasion) {
  WebhookRequest request;
  request.body = webhook.data_only ? std::move(webhook.payload) : envelope(webhook, occasion);
  Headers& headers = request.headers;
  headers.reserve(webhook.headers.size() + kOwnHeadersMax);
  headers.emplace_back("Content-Type", webhook.data_only ? webhook.payload_content_type : kJson);
  if (!has_header(webhook.headers, "user-agent")) headers.emplace_back("User-Agent", occasion.user_agent);
  for (auto& header : webhook.headers)
    headers.push_back(std::move(header));
  if (!keys.authorization.empty()) headers.emplace_back("Authorization", keys.authorization.reveal());
  add_if_set(headers, "traceparent", occasion.traceparent);
  add_signature(headers, webhook, keys, occasion, request.body);
  return request;
}

}  // namespace eilbote
