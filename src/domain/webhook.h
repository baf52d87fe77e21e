// The content of a webhook job (seed name: dispatch job), as an application hands it in, and the rules it must keep.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "domain/fault.h"
#include "domain/names.h"
#include "domain/retry_policy.h"

namespace eilbote {

struct Webhook {
  // What it is about; all of it searchable.
  std::string external_id;
  std::string source;
  DispatchKind kind = DispatchKind::TASK;
  std::string code;
  std::string subject;
  std::string event_id;
  std::string correlation_id;
  std::string subscription_id;
  std::vector<std::pair<std::string, std::string>> metadata;  // in the order given

  // Where it goes, and as what.
  std::string target_url;  // as given
  DispatchProtocol protocol = DispatchProtocol::HTTP_WEBHOOK;
  std::vector<std::pair<std::string, std::string>> headers;  // in the order given
  std::string payload;
  std::string payload_content_type = "application/json";
  bool data_only = true;           // false: the payload travels in an envelope
  std::string service_account_id;  // empty: no credentials, no signature
  std::string schema_id;           // empty: the payload is not checked

  // How it is done.
  GroupMode mode = GroupMode::IMMEDIATE;
  std::string dispatch_pool;  // code or id as given; empty: kWebhookPool
  std::string message_group;
  int sequence = 99;
  int timeout_seconds = 30;
  int max_retries = 3;  // attempts at most
  RetryStrategy retry_strategy = RetryStrategy::exponential;
  std::optional<TimePoint> scheduled_for, expires_at;
  std::string idempotency_key;

  friend bool operator==(const Webhook&, const Webhook&) = default;
};

struct WebhookLimits {
  std::size_t payload_bytes_max = 1024 * 1024;
  std::size_t headers_max = 50;
  std::size_t metadata_max = 50;

  friend bool operator==(const WebhookLimits&, const WebhookLimits&) = default;
};

// Those that no option changes; more are in domain/mail_limits.h and domain/webhook_headers.h.
inline constexpr std::size_t kWebhookNameMax = 200;  // source and code, in characters
inline constexpr std::size_t kWebhookTextMax = 255;  // every other text of one line, in bytes
inline constexpr std::size_t kWebhookMetadataKeyMax = 128;
inline constexpr std::size_t kWebhookMetadataValueMax = 512;
inline constexpr int kWebhookSequenceMax = 1'000'000;
inline constexpr int kWebhookTimeoutMax = 300;  // seconds

// All faults at once; empty when the job may be accepted. `now` bounds scheduledFor and expiresAt.
std::vector<Fault> check_webhook(const Webhook& webhook, const WebhookLimits& limits, TimePoint now);

// The wait between attempts, as the job's retryStrategy says.
RetryPolicy retry_policy_of(const Webhook& webhook);

}  // namespace eilbote
