#include "api/webhook_json.h"

#include <boost/json/array.hpp>

#include "api/json_fields.h"
#include "api/json_out.h"
#include "base/sha256.h"
#include "domain/public_state.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kWebhookListMax = 1'000;  // bounds the work; the rules are stricter
constexpr std::int64_t kNumberMax = 2'000'000'000;

struct JobDraft {
  Webhook webhook;
  std::string client_id;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

// A member that is null is one that is not there.
template <std::string Webhook::*member>
void text(JobDraft& draft, const json::value& value, const Place& place) {
  if (value.is_null()) return;
  if (auto read = read_text(value, place)) draft.webhook.*member = std::move(*read);
}

template <int Webhook::*member>
void number(JobDraft& draft, const json::value& value, const Place& place) {
  if (value.is_null()) return;
  if (const auto read = read_integer(value, place, -kNumberMax, kNumberMax))
    draft.webhook.*member = static_cast<int>(*read);
}

template <auto member>
void time(JobDraft& draft, const json::value& value, const Place& place) {
  if (!value.is_null()) draft.webhook.*member = read_time(value, place);
}

template <auto member, const auto& names>
void name(JobDraft& draft, const json::value& value, const Place& place) {
  if (value.is_null()) return;
  if (const auto read = read_enum(value, place, names)) draft.webhook.*member = *read;
}

void read_pairs(Pairs& pairs, const json::object& object, const Place& place) {
  for (const auto& member : object) {
    const std::string_view key(member.key().data(), member.key().size());
    if (auto value = read_text(member.value(), Place(place, key)))
      pairs.emplace_back(std::string(key), std::move(*value));
  }
}

void read_headers(JobDraft& draft, const json::value& value, const Place& place) {
  if (value.is_null()) return;
  if (const json::object* object = read_object(value, place))
    read_pairs(draft.webhook.headers, *object, place);
}

using Entry = std::pair<std::string, std::string>;
constexpr FieldRow<Entry> kMetadataFields[] = {
    {"id", [](Entry&, const json::value&, const Place&) {}},  // ours: it comes back as it went out
    {"key", [](Entry& e, const json::value& v, const Place& p) { e.first = read_text(v, p).value_or("?"); }},
    {"value",
     [](Entry& e, const json::value& v, const Place& p) { e.second = read_text(v, p).value_or("?"); }},
};

// A map, or a list as it is given out.
void read_metadata(JobDraft& draft, const json::value& value, const Place& place) {
  if (value.is_null()) return;
  if (value.is_object()) return read_pairs(draft.webhook.metadata, value.get_object(), place);
  if (!value.is_array()) return place.fault("must be an object, or an array of objects with key and value");
  const json::array* array = read_array(value, place, kWebhookListMax);
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const Place at(place, i);
    Entry entry;
    if (!read_fields((*array)[i], at, kMetadataFields, entry)) continue;
    for (const std::string_view required : {"key", "value"})
      if (!(*array)[i].get_object().contains(required)) Place(at, required).fault("is required");
    draft.webhook.metadata.push_back(std::move(entry));
  }
}

constexpr FieldRow<JobDraft> kJobFields[] = {
    {"externalId", text<&Webhook::external_id>},
    {"source", text<&Webhook::source>},
    {"kind", name<&Webhook::kind, kDispatchKindNames>},
    {"code", text<&Webhook::code>},
    {"subject", text<&Webhook::subject>},
    {"eventId", text<&Webhook::event_id>},
    {"correlationId", text<&Webhook::correlation_id>},
    {"metadata", read_metadata},
    {"targetUrl", text<&Webhook::target_url>},
    {"protocol", name<&Webhook::protocol, kDispatchProtocolNames>},
    {"headers", read_headers},
    {"payload",
     [](JobDraft& d, const json::value& v, const Place& p) {
       if (!v.is_string()) return p.fault("must be a string: the text to send, JSON as text too");
       d.webhook.payload.assign(v.get_string().data(), v.get_string().size());
     }},
    {"payloadContentType", text<&Webhook::payload_content_type>},
    {"dataOnly",
     [](JobDraft& d, const json::value& v, const Place& p) {
       if (!v.is_null()) d.webhook.data_only = read_flag(v, p).value_or(true);
     }},
    {"serviceAccountId", text<&Webhook::service_account_id>},
    {"clientId",
     [](JobDraft& d, const json::value& v, const Place& p) {
       if (!v.is_null()) d.client_id = read_text(v, p).value_or("");
     }},
    {"subscriptionId", text<&Webhook::subscription_id>},
    {"mode", name<&Webhook::mode, kGroupModeNames>},
    {"dispatchPoolId", text<&Webhook::dispatch_pool>},
    {"messageGroup", text<&Webhook::message_group>},
    {"sequence", number<&Webhook::sequence>},
    {"timeoutSeconds", number<&Webhook::timeout_seconds>},
    {"schemaId", text<&Webhook::schema_id>},
    {"maxRetries", number<&Webhook::max_retries>},
    {"retryStrategy", name<&Webhook::retry_strategy, kRetryStrategyNames>},
    {"scheduledFor", time<&Webhook::scheduled_for>},
    {"expiresAt", time<&Webhook::expires_at>},
    {"idempotencyKey", text<&Webhook::idempotency_key>},
};

// ---- writing ----

// An entry's id is made from the job's and its place, so it is the same whenever it is asked for.
json::array metadata_json(JobId id, const Pairs& metadata) {
  json::array list;
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const std::int64_t hash = hash64({to_text(id), "metadata", std::to_string(i)});
    json::object entry;
    entry["id"] = to_text(JobId{hash & std::numeric_limits<std::int64_t>::max()});
    entry["key"] = metadata[i].first;
    entry["value"] = metadata[i].second;
    list.push_back(std::move(entry));
  }
  return list;
}

json::object headers_json(const Pairs& headers) {
  json::object map;
  for (const auto& [key, value] : headers)
    map[key] = value;
  return map;
}

constexpr std::size_t kJobMembersMax = 48;  // with attempts and durationMillis

void put_content(json::object& out, const JobRecord& record) {
  const Webhook& webhook = *record.webhook;
  out["externalId"] = text_or_null(webhook.external_id);
  out["source"] = webhook.source;
  out["kind"] = kDispatchKindNames.text(webhook.kind);
  out["code"] = webhook.code;
  out["subject"] = text_or_null(webhook.subject);
  out["eventId"] = text_or_null(webhook.event_id);
  out["correlationId"] = text_or_null(webhook.correlation_id);
  out["metadata"] = metadata_json(record.job.id, webhook.metadata);
  out["targetUrl"] = webhook.target_url;
  out["protocol"] = kDispatchProtocolNames.text(webhook.protocol);
  out["headers"] = headers_json(webhook.headers);
  if (!webhook.payload.empty()) out["payload"] = webhook.payload;
  out["payloadContentType"] = webhook.payload_content_type;
  out["dataOnly"] = webhook.data_only;
  out["serviceAccountId"] = text_or_null(webhook.service_account_id);
  out["clientId"] = record.job.client.value();
  out["subscriptionId"] = text_or_null(webhook.subscription_id);
  out["mode"] = kGroupModeNames.text(webhook.mode);
  out["dispatchPoolId"] = record.job.pool;
  out["messageGroup"] = text_or_null(webhook.message_group);
  out["sequence"] = webhook.sequence;
  out["timeoutSeconds"] = webhook.timeout_seconds;
  out["schemaId"] = text_or_null(webhook.schema_id);
}

// When the retry of a failed job is due.
std::optional<TimePoint> next_attempt(const Job& job) {
  const bool waits = job.status == JobStatus::queued || job.status == JobStatus::blocked;
  return waits ? std::optional(job.next_attempt_at) : std::nullopt;
}

}  // namespace

WebhookReading read_webhook(const json::value& body, const WebhookLimits& limits, TimePoint now) {
  std::vector<Fault> faults;
  JobDraft draft;
  const Place root(faults);
  WebhookReading reading;
  if (read_fields(body, root, kJobFields, draft)) {
    for (const std::string_view required : {"source", "code", "targetUrl", "payload"})
      if (!body.get_object().contains(required)) Place(root, required).fault("is required");
    add_rules_faults(faults, check_webhook(draft.webhook, limits, now));
  }
  if (!faults.empty()) {
    const bool large = faults.size() == 1 && draft.webhook.payload.size() > limits.payload_bytes_max;
    reading.problem = invalid(std::move(faults));
    if (large) reading.problem->kind = ProblemKind::too_large;
  }
  reading.webhook = std::move(draft.webhook);
  reading.client_id = std::move(draft.client_id);
  return reading;
}

json::object dispatch_job_json(const JobRecord& record, const WebhookView& view) {
  const Job& job = record.job;
  json::object out;
  out.reserve(kJobMembersMax);
  out["id"] = to_text(job.id);
  put_content(out, record);
  out["status"] = public_state_text(job, view);
  out["maxRetries"] = job.attempts_max;
  out["retryStrategy"] = kRetryStrategyNames.text(record.webhook->retry_strategy);
  out["scheduledFor"] = time_or_null(record.webhook->scheduled_for);
  out["nextAttemptAt"] = time_or_null(next_attempt(job));
  out["expiresAt"] = time_or_null(job.expires_at);
  out["attemptCount"] = job.retry_count + (job.status == JobStatus::sent ? 1 : 0);
  out["lastAttemptAt"] = time_or_null(job.last_attempt_at);
  out["completedAt"] = time_or_null(job.finished_at);
  out["lastError"] = text_or_null(job.last_error);
  if (job.dead_reason) out["deadReason"] = kDeadReasonNames.text(*job.dead_reason);
  out["idempotencyKey"] = text_or_null(record.webhook->idempotency_key);
  out["traceId"] = record.trace_id;
  out["createdAt"] = to_rfc3339(job.created_at);
  out["updatedAt"] = to_rfc3339(job.updated_at);
  return out;
}

json::object dispatch_attempt_json(JobId id, const Attempt& attempt) {
  json::object row;
  row["id"] = to_text(JobId{hash64({to_text(id), "attempt", std::to_string(attempt.number)}) &
                            std::numeric_limits<std::int64_t>::max()});
  row["attemptNumber"] = attempt.number;
  row["attemptedAt"] = to_rfc3339(attempt.attempted_at);
  row["completedAt"] = to_rfc3339(attempt.completed_at);
  row["durationMillis"] = attempt.duration.count();
  row["status"] = kAttemptStatusNames.text(attempt.status);
  row["responseCode"] =
      attempt.response_code == 0 ? json::value(nullptr) : json::value(attempt.response_code);
  row["responseBody"] = text_or_null(attempt.response_body);
  row["errorMessage"] = text_or_null(attempt.error_message);
  row["errorStackTrace"] = text_or_null(attempt.diagnostic);
  row["errorType"] =
      attempt.error_type ? json::value(kErrorTypeNames.text(*attempt.error_type)) : json::value(nullptr);
  row["createdAt"] = to_rfc3339(attempt.completed_at);
  row["code"] = text_or_null(attempt.code);
  row["deferral"] = attempt.deferral;
  return row;
}

void put_attempts(json::object& job, JobId id, const JobHistory& history) {
  json::array rows;
  std::int64_t millis = 0;
  for (const Attempt& attempt : history.attempts) {
    millis += attempt.duration.count();
    rows.push_back(dispatch_attempt_json(id, attempt));
  }
  job["durationMillis"] = history.attempts.empty() ? json::value(nullptr) : json::value(millis);
  job["attempts"] = std::move(rows);
}

}  // namespace eilbote
