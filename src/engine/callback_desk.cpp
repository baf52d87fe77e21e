#include "engine/callback_desk.h"

#include <boost/json.hpp>

#include "base/sha256.h"
#include "domain/mail_meta.h"
#include "domain/webhook_url.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr int kChangesMax = 200;
constexpr int kAttemptsMax = kDefaultScheduleAttempts;  // over a day

json::object details_of(const JobRecord& mail) {
  const Job& job = mail.job;
  json::object details;
  details["retryCount"] = job.retry_count;
  details["maxAttempts"] = job.attempts_max;
  if (job.last_attempt_at) details["lastAttemptAt"] = to_rfc3339(*job.last_attempt_at);
  if (job.dead_reason) details["deadReason"] = kDeadReasonNames.text(*job.dead_reason);
  if (!job.last_error.empty()) details["lastError"] = job.last_error;
  json::array& recipients = (details["recipients"] = json::array()).get_array();
  for (const Recipient& recipient : mail.recipients) {
    json::object row;
    row["address"] = recipient.address;
    row["kind"] = kRecipientKindNames.text(recipient.kind);
    row["status"] = kRecipientStatusNames.text(recipient.status);
    recipients.push_back(std::move(row));
  }
  return details;
}

std::string payload_of(const JobRecord& mail, const StatusEvent& event) {
  json::object body;
  body["type"] = "message.status";
  body["messageId"] = to_text(mail.job.id);
  body["status"] = event.to;
  body["previousStatus"] = event.from;
  body["lastUpdate"] = to_rfc3339(event.at);
  if (!mail.provider_message_id.empty()) body["providerMessageId"] = mail.provider_message_id;
  body["details"] = details_of(mail);
  return json::serialize(body);
}

}  // namespace

// Absent: there is nobody to tell (any more).
Result<std::optional<NewJob>> CallbackDesk::job_of(const UntoldChange& change) {
  const auto mail = outbox_.find(change.job, std::nullopt);
  if (!mail) return fail(mail.error());
  const auto target = *mail ? mail_meta_from_json((*mail)->meta).callback : std::nullopt;
  const auto url =
      target ? parse_webhook_url(target->url) : Result<WebhookUrl>(fail(ErrorKind::not_found, ""));
  if (!url) return std::optional<NewJob>{};
  const std::string id = to_text(change.job);
  const TimePoint now = clock_.now();

  NewJob job;
  job.id = ids_.next(now);
  job.channel = ChannelKind::webhook;
  job.client = (*mail)->job.client;
  job.pool = kWebhookPool;
  job.route = url->route();
  job.expires_at = now + expires_after_;
  job.attempts_max = kAttemptsMax;
  job.group_mode = GroupMode::BLOCK_ON_ERROR;
  job.trace_id = change.event.trace_id.empty() ? (*mail)->trace_id : change.event.trace_id;
  if (job.trace_id == (*mail)->trace_id)
    job.trace_span = (*mail)->trace_span;  // else it was another's request
  Webhook& webhook = job.webhook;
  webhook.source = "eilbote";
  webhook.kind = DispatchKind::EVENT;
  webhook.code = "message.status";
  webhook.subject = "message:" + id;
  webhook.event_id = id + "-" + std::to_string(change.seq);
  webhook.target_url = target->url;
  webhook.payload = payload_of(**mail, change.event);
  webhook.service_account_id = target->service_account_id;
  webhook.mode = job.group_mode;
  webhook.message_group = job.group = "message:" + id;
  webhook.max_retries = kAttemptsMax;
  webhook.retry_strategy = RetryStrategy::schedule;
  // The control character keeps it apart from every key a client can choose.
  job.idempotency_key = "callback\x01" + webhook.event_id;
  job.fingerprint = sha256(job.idempotency_key);
  return std::optional(std::move(job));
}

Result<void> CallbackDesk::tell() {
  const auto changes = feed_.untold(kChangesMax);
  if (!changes) return fail(changes.error());
  if (changes->empty()) return {};
  std::vector<NewJob> jobs;
  for (const UntoldChange& change : *changes) {
    auto job = job_of(change);
    if (!job) return fail(job.error());
    if (*job) jobs.push_back(std::move(**job));
  }
  if (!jobs.empty()) {
    const auto accepted = outbox_.accept(jobs, AcceptRun::first);
    if (!accepted) return fail(accepted.error());
    std::vector<LaneId> lanes;
    for (const AcceptOutcome& outcome : *accepted)
      if (outcome.kind == AcceptKind::accepted) lanes.push_back(outcome.lane);
    on_accepted_(lanes);
  }
  return feed_.told(*changes);
}

}  // namespace eilbote
