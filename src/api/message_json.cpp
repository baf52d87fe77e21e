#include "api/message_json.h"

#include <boost/json/array.hpp>

#include "api/reason_json.h"
#include "domain/delivery_codes.h"
#include "domain/mail_meta.h"
#include "domain/public_state.h"
#include "domain/states.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

template <class Text>
void put_text(json::object& object, std::string_view name, const Text& text) {
  if (!text.empty()) object[name] = text;
}
void put_number(json::object& object, std::string_view name, int number) {
  if (number != 0) object[name] = number;
}
void put_time(json::object& object, std::string_view name, const std::optional<TimePoint>& at) {
  if (at) object[name] = to_rfc3339(*at);
}

// A leased job's next attempt is now, a finished one has none.
std::optional<TimePoint> next_attempt(const Job& job) {
  if (is_leased(job.status) || is_final(job.status)) return std::nullopt;
  return job.next_attempt_at;
}

// From the attempt that failed; what ended without one (expired, abandoned, a foreign worker's word) has only
// a text.
json::object last_error_json(const JobRecord& record) {
  const Job& job = record.job;
  json::object error;
  if (job.report == Report::bounced) {  // no attempt of ours failed last, a server further on did
    error["code"] = code::bounced;
    error["class"] = kVerdictNames.text(Verdict::permanent);
    error["message"] = job.last_error;
    return error;
  }
  if (record.last_failure) {
    const Attempt& attempt = *record.last_failure;
    error["code"] =
        attempt.code.empty() ? kAttemptStatusNames.text(attempt.status) : std::string_view(attempt.code);
    error["class"] = kVerdictNames.text(attempt.verdict.value_or(Verdict::transient));
    error["message"] = job.last_error;
    put_number(error, "smtpCode", attempt.smtp_code);
    put_text(error, "enhancedCode", attempt.enhanced_code);
    return error;
  }
  error["code"] = job.dead_reason ? kDeadReasonNames.text(*job.dead_reason) : std::string_view("UNKNOWN");
  error["class"] = kVerdictNames.text(job.dead_reason ? Verdict::permanent : Verdict::transient);
  error["message"] = job.last_error;
  return error;
}

json::object details_json(const JobRecord& record) {
  const Job& job = record.job;
  json::object details;
  details["retryCount"] = job.retry_count;
  details["maxAttempts"] = job.attempts_max;
  put_time(details, "nextAttemptAt", next_attempt(job));
  put_time(details, "lastAttemptAt", job.last_attempt_at);
  if (job.dead_reason) details["deadReason"] = kDeadReasonNames.text(*job.dead_reason);
  if (!job.last_error.empty()) {
    json::object error = last_error_json(record);
    put_reason(error, record);
    details["lastError"] = std::move(error);
  }
  json::array recipients;
  for (const Recipient& recipient : record.recipients) {
    json::object row;
    row["address"] = recipient.address;
    row["kind"] = kRecipientKindNames.text(recipient.kind);
    row["status"] = kRecipientStatusNames.text(recipient.status);
    put_text(row, "reply", recipient.reply);
    put_reason(row, recipient, record);
    recipients.push_back(std::move(row));
  }
  details["recipients"] = std::move(recipients);
  return details;
}

// What the sender gave with it; its subject is content, and not shown here.
void put_meta(json::object& message, const MailMeta& meta) {
  put_text(message, "group", meta.group);
  put_text(message, "campaignId", meta.campaign_id);
  if (!meta.tags.empty()) message["tags"] = json::array(meta.tags.begin(), meta.tags.end());
  if (meta.metadata.empty()) return;
  json::object metadata;
  for (const auto& [key, value] : meta.metadata)
    metadata[key] = value;
  message["metadata"] = std::move(metadata);
}

}  // namespace

json::object message_json(const JobRecord& record) {
  json::object message;
  message["messageId"] = to_text(record.job.id);
  message["status"] = kMailStateNames.text(mail_state(record.job));
  message["lastUpdate"] = to_rfc3339(record.job.updated_at);
  message["createdAt"] = to_rfc3339(record.job.created_at);
  message["clientId"] = record.job.client.value();
  message["pool"] = record.job.pool;
  put_time(message, "expiresAt", record.job.expires_at);
  put_text(message, "traceId", record.trace_id);
  put_meta(message, mail_meta_from_json(record.meta));
  put_text(message, "providerMessageId", record.provider_message_id);
  message["details"] = details_json(record);
  return message;
}

json::object attempt_json(JobId id, const Attempt& attempt) {
  json::object row;
  row["id"] = to_text(id) + "-" + std::to_string(attempt.number);
  row["attemptNumber"] = attempt.number;
  row["attemptedAt"] = to_rfc3339(attempt.attempted_at);
  row["completedAt"] = to_rfc3339(attempt.completed_at);
  row["durationMillis"] = attempt.duration.count();
  row["status"] = kAttemptStatusNames.text(attempt.status);
  row["route"] = attempt.route;
  put_number(row, "smtpCode", attempt.smtp_code);
  put_text(row, "enhancedCode", attempt.enhanced_code);
  put_number(row, "responseCode", attempt.response_code);
  put_text(row, "errorMessage", attempt.error_message);
  if (attempt.error_type) row["errorType"] = kErrorTypeNames.text(*attempt.error_type);
  row["deferral"] = attempt.deferral;
  return row;
}

json::object event_json(const StatusEvent& event) {
  json::object row;
  row["at"] = to_rfc3339(event.at);
  row["from"] = event.from.empty() ? json::value(nullptr) : json::value(event.from);
  row["to"] = event.to;
  row["reason"] = event.reason;
  row["actor"] = event.actor;
  row["traceId"] = event.trace_id;
  return row;
}

json::object dispatch_item_json(const Job& job) {
  json::object row;
  row["id"] = to_text(job.id);
  row["status"] = kMailStateNames.text(mail_state(job));
  row["retryCount"] = job.retry_count;
  put_time(row, "nextAttemptAt", next_attempt(job));
  put_time(row, "lastAttemptAt", job.last_attempt_at);
  return row;
}

}  // namespace eilbote
