// The codes of what can go wrong with a delivery (`lastError.code`, attempts), each once, and the one table that says what it
// means and what to do about it: for the probe, docs/errors.md and whoever reads a record. A test finds codes written elsewhere,
// and codes without a row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/names.h"

namespace eilbote {

namespace code {

// On the way to a relay. What a relay answers is smtp_code(its reply).
inline constexpr const char* smtp_dns = "SMTP_DNS";
inline constexpr const char* smtp_connect = "SMTP_CONNECT";
inline constexpr const char* smtp_connection_lost = "SMTP_CONNECTION_LOST";
inline constexpr const char* smtp_protocol = "SMTP_PROTOCOL";
inline constexpr const char* smtp_tls_not_offered = "SMTP_TLS_NOT_OFFERED";
inline constexpr const char* smtp_tls = "SMTP_TLS";
inline constexpr const char* smtp_certificate = "SMTP_CERTIFICATE";
inline constexpr const char* smtp_secret = "SMTP_SECRET";
inline constexpr const char* smtp_auth_not_offered = "SMTP_AUTH_NOT_OFFERED";
inline constexpr const char* smtp_auth_in_clear = "SMTP_AUTH_IN_CLEAR";
inline constexpr const char* smtp_auth = "SMTP_AUTH";
inline constexpr const char* smtp_answer_lost = "SMTP_ANSWER_LOST";
inline constexpr const char* worker_lost = "WORKER_LOST";

// On the way through Microsoft Graph. Graph's own code stands in the text beside them.
inline constexpr const char* graph_unreachable = "GRAPH_UNREACHABLE";
inline constexpr const char* graph_tls = "GRAPH_TLS";
inline constexpr const char* graph_token = "GRAPH_TOKEN";
inline constexpr const char* graph_auth = "GRAPH_AUTH";
inline constexpr const char* graph_access_denied = "GRAPH_ACCESS_DENIED";
inline constexpr const char* graph_sender_denied = "GRAPH_SENDER_DENIED";
inline constexpr const char* graph_sender_not_allowed = "GRAPH_SENDER_NOT_ALLOWED";
inline constexpr const char* graph_mailbox_unknown = "GRAPH_MAILBOX_UNKNOWN";
inline constexpr const char* graph_mailbox_full = "GRAPH_MAILBOX_FULL";
inline constexpr const char* graph_mailbox_rate = "GRAPH_MAILBOX_RATE";
inline constexpr const char* graph_throttled = "GRAPH_THROTTLED";
inline constexpr const char* graph_too_large = "GRAPH_TOO_LARGE";
inline constexpr const char* graph_bad_request = "GRAPH_BAD_REQUEST";
inline constexpr const char* graph_locked = "GRAPH_LOCKED";
inline constexpr const char* graph_server_error = "GRAPH_SERVER_ERROR";
inline constexpr const char* graph_answer_lost = "GRAPH_ANSWER_LOST";
inline constexpr const char* graph_draft_gone = "GRAPH_DRAFT_GONE";
inline constexpr const char* graph_draft_book = "GRAPH_DRAFT_BOOK";

// On the way to an endpoint. What an endpoint answers is http_code(its status), but for these two.
inline constexpr const char* endpoint_gone = "ENDPOINT_GONE";
inline constexpr const char* not_acknowledged = "NOT_ACKNOWLEDGED";
inline constexpr const char* dns_failed = "DNS_FAILED";
inline constexpr const char* connect_failed = "CONNECT_FAILED";
inline constexpr const char* tls_failed = "TLS_FAILED";
inline constexpr const char* timeout = "TIMEOUT";
inline constexpr const char* connection_lost = "CONNECTION_LOST";
inline constexpr const char* bad_response = "BAD_RESPONSE";
inline constexpr const char* target_refused = "TARGET_REFUSED";
inline constexpr const char* busy = "BUSY";
inline constexpr const char* bad_target_url = "BAD_TARGET_URL";
inline constexpr const char* bad_credentials = "BAD_CREDENTIALS";
inline constexpr const char* account_refused = "ACCOUNT_REFUSED";
inline constexpr const char* secret_unavailable = "SECRET_UNAVAILABLE";
inline constexpr const char* credentials_renewed = "CREDENTIALS_RENEWED";

// The engine's own, and the capture route's.
inline constexpr const char* content_gone = "CONTENT_GONE";
inline constexpr const char* suppressed = "SUPPRESSED";
inline constexpr const char* bounced = "BOUNCED";
inline constexpr const char* unstorable_answer = "UNSTORABLE_ANSWER";
inline constexpr const char* capture_write_failed = "CAPTURE_WRITE_FAILED";
inline constexpr const char* capture_deferred = "DEFERRED";
inline constexpr const char* capture_route_down = "ROUTE_DOWN";
inline constexpr const char* capture_answer_lost = "ANSWER_LOST";

// Why a recipient's server, or one on the way, did not take a mail: made of its reply by domain/smtp_reasons.h.
inline constexpr const char* smtp_mailbox_unknown = "SMTP_5XX_MAILBOX_UNKNOWN";
inline constexpr const char* smtp_mailbox_disabled = "SMTP_5XX_MAILBOX_DISABLED";
inline constexpr const char* smtp_mailbox_full = "SMTP_MAILBOX_FULL";
inline constexpr const char* smtp_bad_address = "SMTP_5XX_BAD_ADDRESS";
inline constexpr const char* smtp_domain_unknown = "SMTP_5XX_DOMAIN_UNKNOWN";
inline constexpr const char* smtp_relay_denied = "SMTP_5XX_RELAY_DENIED";
inline constexpr const char* smtp_sender_refused = "SMTP_5XX_SENDER_REFUSED";
inline constexpr const char* smtp_authentication_policy = "SMTP_5XX_AUTHENTICATION_POLICY";
inline constexpr const char* smtp_blocked = "SMTP_5XX_BLOCKED";
inline constexpr const char* smtp_content_refused = "SMTP_5XX_CONTENT_REFUSED";
inline constexpr const char* smtp_message_too_large = "SMTP_5XX_MESSAGE_TOO_LARGE";
inline constexpr const char* smtp_policy = "SMTP_5XX_POLICY";
inline constexpr const char* smtp_expired = "SMTP_DELIVERY_EXPIRED";
inline constexpr const char* smtp_greylisted = "SMTP_4XX_GREYLISTED";
inline constexpr const char* smtp_throttled = "SMTP_4XX_THROTTLED";
inline constexpr const char* smtp_server_busy = "SMTP_4XX_SERVER_BUSY";
inline constexpr const char* smtp_later = "SMTP_4XX_LATER";
inline constexpr const char* smtp_refused = "SMTP_5XX_REFUSED";

}  // namespace code

std::string smtp_code(int reply);   // SMTP_451
std::string http_code(int status);  // HTTP_503

enum class CodeGroup { smtp, graph, webhook, engine, reason };

struct DeliveryAdvice {
  CodeGroup group;
  std::string_view code;  // 'x' stands for any digit: SMTP_4xx
  std::string_view meaning;
  std::string_view what_to_do;
  std::optional<Verdict> verdict{};  // of a reason: whether trying again can help; else the attempt's
};

// By group, in the order of CodeGroup.
std::span<const DeliveryAdvice> delivery_advice_table();
// The first row that fits; null for a code that is none of ours.
const DeliveryAdvice* delivery_advice(std::string_view code);

}  // namespace eilbote
