// The rules a webhook job must keep before it is accepted. Called by the API for every job, alone or in a batch. Finds all
// faults at once; a detail says what would be right and never repeats content (it ends up in answers).
#include "domain/webhook.h"

#include <fmt/format.h>

#include <set>

#include "base/ascii.h"
#include "base/utf8.h"
#include "domain/json_text.h"
#include "domain/mail_limits.h"
#include "domain/webhook_headers.h"
#include "domain/webhook_url.h"

namespace eilbote {
namespace {

// One line of text, stored and searched as it is.
bool check_line(Faults& check, std::string_view text, std::string_view pointer) {
  return check.line_in_bytes(text, pointer, kWebhookTextMax);
}

void check_name(Faults& check, std::string_view text, const char* pointer) {
  if (text.empty()) return check.fault(pointer, "is required and must not be empty");
  if (text.size() <= kWebhookNameMax || utf8_length(text) <= kWebhookNameMax)
    check.line_in_bytes(text, pointer, kWebhookNameMax * 4);
  else
    check.fault(pointer, fmt::format("must be at most {} characters long", kWebhookNameMax));
}

void check_subject(Faults& check, const Webhook& webhook) {
  check_name(check, webhook.source, "/source");
  check_name(check, webhook.code, "/code");
  check_line(check, webhook.external_id, "/externalId");
  check_line(check, webhook.subject, "/subject");
  if (check_line(check, webhook.event_id, "/eventId") && webhook.kind == DispatchKind::EVENT &&
      webhook.event_id.empty())
    check.fault("/eventId", "is required when kind is EVENT");
  check_line(check, webhook.correlation_id, "/correlationId");
  check_line(check, webhook.subscription_id, "/subscriptionId");
}

void check_metadata(Faults& check, const Webhook& webhook, const WebhookLimits& limits) {
  if (!check.count(webhook.metadata.size(), limits.metadata_max, "/metadata")) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < webhook.metadata.size(); ++i) {
    const auto& [key, value] = webhook.metadata[i];
    const std::string pointer = fmt::format("/metadata/{}", i);
    if (key.empty())
      check.fault(pointer + "/key", "must not be empty");
    else if (check.line_in_bytes(key, pointer + "/key", kWebhookMetadataKeyMax) && !seen.insert(key).second)
      check.fault(pointer + "/key", "is there twice");
    check.line_in_bytes(value, pointer + "/value", kWebhookMetadataValueMax);
  }
}

// A name that is no token is not repeated: nobody could read it there.
std::string header_pointer(std::string_view name) {
  const bool is_shown = is_http_header_name(name);
  return is_shown ? "/headers/" + pointer_step(name, kWebhookHeaderNameMax) : "/headers";
}

void check_header(Faults& check, const std::string& name, const std::string& value,
                  std::set<std::string>& seen) {
  const std::string pointer = header_pointer(name);
  if (!is_http_header_name(name))
    return check.fault(pointer,
                       fmt::format("a name must be 1 to {} characters: letters, digits and !#$%&'*+-.^_`|~",
                                   kWebhookHeaderNameMax));
  if (is_protected_header(name))
    check.fault(pointer,
                fmt::format("{} is set by Eilbote or by the transport and cannot be given here", name));
  else if (!seen.insert(ascii_lower(name)).second)
    check.fault(pointer, "may be given only once (upper and lower case are the same)");
  if (value.size() > kWebhookHeaderValueMax)
    check.fault(pointer, fmt::format("must be at most {} bytes long", kWebhookHeaderValueMax));
  else if (!is_http_header_value(value))
    check.fault(pointer, "must be printable ASCII, blanks and tabs, without either of those at its ends");
}

void check_headers(Faults& check, const Webhook& webhook, const WebhookLimits& limits) {
  if (!check.count(webhook.headers.size(), limits.headers_max, "/headers")) return;
  std::set<std::string> seen;
  for (const auto& [name, value] : webhook.headers)
    check_header(check, name, value, seen);
}

void check_payload(Faults& check, const Webhook& webhook, const WebhookLimits& limits) {
  const bool has_type = is_media_type(webhook.payload_content_type);
  if (!has_type)
    check.fault("/payloadContentType",
                "must be type/subtype like application/json, optionally with parameters, at most 255 bytes");
  const std::string& payload = webhook.payload;
  if (payload.empty()) return check.fault("/payload", "is required and must not be empty");
  if (payload.size() > limits.payload_bytes_max)
    return check.fault("/payload", fmt::format("must be at most {} bytes", limits.payload_bytes_max));
  if (!is_utf8(payload)) return check.fault("/payload", "must be valid UTF-8");
  if (payload.find('\0') != std::string::npos) return check.fault("/payload", "must not contain U+0000");
  if (!has_type || !is_json_media_type(webhook.payload_content_type)) return;
  if (const auto broken = find_json_fault(payload))
    check.fault("/payload", fmt::format("must be JSON, as payloadContentType says: byte {}: {}",
                                        broken->offset, broken->what));
}

void check_way(Faults& check, const Webhook& webhook) {
  if (webhook.target_url.empty())
    check.fault("/targetUrl", "is required: an http or https URL, like https://example.org/hook");
  else if (const auto url = parse_webhook_url(webhook.target_url); !url)
    check.fault("/targetUrl", url.error().message);
  check_line(check, webhook.service_account_id, "/serviceAccountId");
  check_line(check, webhook.schema_id, "/schemaId");
  check_line(check, webhook.dispatch_pool, "/dispatchPoolId");
  if (check_line(check, webhook.message_group, "/messageGroup") && webhook.message_group.empty() &&
      webhook.mode != GroupMode::IMMEDIATE)
    check.fault("/messageGroup",
                fmt::format("is required when mode is {}", kGroupModeNames.text(webhook.mode)));
}

void check_numbers(Faults& check, const Webhook& webhook) {
  check.range(webhook.sequence, 0, kWebhookSequenceMax, "/sequence");
  check.range(webhook.timeout_seconds, 1, kWebhookTimeoutMax, "/timeoutSeconds");
  check.range(webhook.max_retries, 1, kRetryAttemptsMax, "/maxRetries");
}

void check_times(Faults& check, const Webhook& webhook, TimePoint now) {
  if (webhook.scheduled_for && *webhook.scheduled_for > now + kScheduledForMax)
    check.fault("/scheduledFor", "must be at most one year ahead");
  if (!webhook.expires_at) return;
  if (*webhook.expires_at <= now)
    check.fault("/expiresAt", "must be in the future");
  else if (webhook.scheduled_for && *webhook.expires_at <= *webhook.scheduled_for)
    check.fault("/expiresAt", "must be later than scheduledFor");
}

void check_key(Faults& check, const Webhook& webhook) {
  const std::string& key = webhook.idempotency_key;
  if (key.size() > kWebhookTextMax || !is_printable_ascii(key))
    check.fault("/idempotencyKey",
                fmt::format("must be 1 to {} printable ASCII characters", kWebhookTextMax));
}

}  // namespace

std::vector<Fault> check_webhook(const Webhook& webhook, const WebhookLimits& limits, TimePoint now) {
  Faults check;
  check_subject(check, webhook);
  check_metadata(check, webhook, limits);
  check_way(check, webhook);
  check_headers(check, webhook, limits);
  check_payload(check, webhook, limits);
  check_numbers(check, webhook);
  check_times(check, webhook, now);
  check_key(check, webhook);
  return check.take();
}

RetryPolicy retry_policy_of(const Webhook& webhook) {
  RetryPolicy policy;
  policy.strategy = webhook.retry_strategy;
  policy.attempts_max = webhook.max_retries;
  if (policy.strategy == RetryStrategy::schedule) policy.schedule = default_schedule();
  return policy;
}

}  // namespace eilbote
