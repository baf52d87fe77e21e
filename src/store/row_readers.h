// Rows as domain values, once for both stores: their statements answer the same columns in the same order, and their rows
// (postgres::Row, sqlite::Run) read a column under the same names. Called by the operations in postgres/ and sqlite/; a
// column that moves here moves in both dialects of its statement.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/mail_meta.h"
#include "domain/tsid.h"
#include "ports/outbox.h"
#include "ports/status_feed.h"
#include "store/content_json.h"
#include "store/swept_job.h"
#include "store/trace_column.h"
#include "store/webhook_json.h"

namespace eilbote {

// The first columns of claim_due, claim_offered, claim_one, find_many, lock_job and orphans: id … expires_at. What follows
// is each statement's own.
inline constexpr int kJobColumns = 20;

// A text the CHECK constraints keep inside the table of names; a foreign program cannot bring in another.
template <class Row, class Enum, std::size_t N>
std::optional<Enum> read_name(const EnumNames<Enum, N>& names, const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return names.parse(row.text(column));
}

template <class Row>
LaneId read_lane(const Row& row) {
  return LaneId{row.int4(1)};
}

// Without client, pool and route, which the lane tells (name_job).
template <class Row>
Job read_job(const Row& row) {
  Job job;
  job.id = JobId{row.int8(0)};
  job.channel = read_name(kChannelNames, row, 2).value_or(ChannelKind::mail);
  job.status = read_name(kJobStatusNames, row, 3).value_or(JobStatus::queued);
  job.retry_count = row.int4(4);
  job.attempts_max = row.int4(5);
  job.attempts = row.int4(6);
  job.deferrals = row.int4(7);
  job.losses = row.int4(8);
  job.partial = row.boolean(9);
  job.group_mode = read_name(kGroupModeNames, row, 10).value_or(GroupMode::IMMEDIATE);
  job.report = read_name(kReportNames, row, 11);
  job.dead_reason = read_name(kDeadReasonNames, row, 12);
  job.last_error = row.text(13);
  job.created_at = row.time(14);
  job.updated_at = row.time(15);
  job.next_attempt_at = row.time(16);
  job.last_attempt_at = row.time_or_none(17);
  job.finished_at = row.time_or_none(18);
  job.expires_at = row.time_or_none(19);
  return job;
}

template <class Lane>
void name_job(Job& job, const Lane& lane) {
  job.client = lane.client;
  job.pool = lane.pool;
  job.route = lane.route;
}

// claim_due, claim_offered, claim_one: a job that is leased now under `token`.
template <class Row>
ClaimedJob read_claimed(const Row& row, LeaseToken token) {
  return {read_job(row), read_lane(row), token, row.boolean(kJobColumns)};
}

// orphans: a job that is still leased, under a token of its own.
template <class Row>
ClaimedJob read_orphan(const Row& row) {
  return read_claimed(row, LeaseToken{row.int8(kJobColumns + 1)});
}

// lock_job: with what an act decides by; its group goes into `group`.
template <class Row>
Job read_locked(const Row& row, std::optional<std::int64_t>& group) {
  Job job = read_job(row);
  if (!row.is_null(kJobColumns)) group = row.int8(kJobColumns);
  job.holds_turn = row.boolean(kJobColumns + 1);
  job.cancelling = row.boolean(kJobColumns + 2);
  return job;
}

// A message's key is its Idempotency-Key, else its id.
template <class Row>
std::string read_message_key(const Row& row, int column, JobId id) {
  const std::string_view key = row.text(column);
  return key.empty() ? to_text(id) : std::string(key);
}

// The trace of a record or a content.
template <class Row, class Traced>
void read_trace(const Row& row, int column, Traced& traced) {
  const TraceColumn trace = read_trace_column(row.text(column));
  traced.trace_id = trace.trace_id;
  traced.trace_span = trace.trace_span;
}

// find_many: a record as lists look at it; the job is not named yet.
template <class Row>
JobRecord read_record(const Row& row) {
  JobRecord record;
  record.job = read_job(row);
  record.recipients = recipients_from_json(row.text(kJobColumns));
  record.meta = row.jsonb(kJobColumns + 1);
  read_trace(row, kJobColumns + 2, record);
  record.message_key = read_message_key(row, kJobColumns + 3, record.job.id);
  if (!row.is_null(kJobColumns + 4)) record.webhook = webhook_from_json(row.text(kJobColumns + 4));
  return record;
}

// load_mails; the recipients all wait until read_recipient lays their results over them.
template <class Row>
MailContent read_mail(const Row& row) {
  MailContent mail;
  mail.id = JobId{row.int8(0)};
  mail.sender = row.text(1);
  mail.recipients = recipients_from_json(row.text(2));
  mail.mime = row.text(3);
  if (!row.is_null(4)) mail.retry = retry_from_json(row.text(4));
  mail.on_uncertain = read_name(kOnUncertainNames, row, 5).value_or(OnUncertain::retry);
  read_trace(row, 6, mail);
  mail.message_key = read_message_key(row, 7, mail.id);
  return mail;
}

// load_mails: the client whose suppression list is to be asked; none: it has no list.
template <class Row>
std::optional<std::int32_t> read_suppressing_client(const Row& row) {
  if (row.is_null(8)) return std::nullopt;
  return row.int4(8);
}

// load_webhooks
template <class Row>
WebhookContent read_webhook(const Row& row) {
  WebhookContent content{JobId{row.int8(0)}, webhook_from_json(row.text(1)), {}};
  read_trace(row, 2, content);
  content.webhook.payload = row.text(3);
  return content;
}

// load_recipients: one result, of the job in column 0, into that job's recipients.
template <class Row>
void read_recipient(const Row& row, std::vector<Recipient>& recipients) {
  const auto n = static_cast<std::size_t>(row.int4(1));
  if (n >= recipients.size()) return;
  recipients[n].status = read_name(kRecipientStatusNames, row, 2).value_or(RecipientStatus::waiting);
  recipients[n].reply = row.text(3);
}

// find_attempts_of, last_failure; column 0 is the job.
template <class Row>
Attempt read_attempt(const Row& row) {
  Attempt attempt;
  attempt.token = LeaseToken{row.int8(1)};
  attempt.number = row.int4(2);
  attempt.attempted_at = row.time(3);
  attempt.completed_at = row.time(4);
  attempt.duration = std::chrono::milliseconds{row.int8(5)};
  attempt.status = read_name(kAttemptStatusNames, row, 6).value_or(AttemptStatus::SUCCESS);
  attempt.route = row.text(7);
  attempt.code = row.text(8);
  attempt.verdict = read_name(kVerdictNames, row, 9);
  attempt.smtp_code = row.int4(10);
  attempt.enhanced_code = row.text(11);
  attempt.response_code = row.int4(12);
  attempt.error_message = row.text(13);
  attempt.error_type = read_name(kErrorTypeNames, row, 14);
  attempt.deferral = row.boolean(15);
  attempt.response_body = row.text(16);
  attempt.diagnostic = row.text(17);
  return attempt;
}

// find_events_of, from its first column; untold_changes, from its third.
template <class Row>
StatusEvent read_event(const Row& row, int first = 0) {
  return {row.time(first), std::string(row.text(first + 1)), std::string(row.text(first + 2)),
          std::string(row.text(first + 3)), std::string(row.text(first + 4)),
          // Instances of the version before wrote the whole column.
          std::string(read_trace_column(row.text(first + 5)).trace_id)};
}

// untold_changes
template <class Row>
UntoldChange read_untold(const Row& row) {
  return {JobId{row.int8(0)}, row.int8(1), read_event(row, 2)};
}

// rescue_dead, rescue_foreign, expire_due, exhaust_due
template <class Row>
SweptJob read_swept(const Row& row) {
  SweptJob job;
  job.id = JobId{row.int8(0)};
  job.lane = read_lane(row);
  job.status = read_name(kJobStatusNames, row, 2).value_or(JobStatus::queued);
  if (!row.is_null(3)) job.group = row.int8(3);
  job.channel = read_name(kChannelNames, row, 4).value_or(ChannelKind::mail);
  job.retry_count = row.int4(5);
  job.deferrals = row.int4(6);
  job.partial = row.boolean(7);
  job.dead_reason = read_name(kDeadReasonNames, row, 8);
  return job;
}

// find_finished: the facets of a job that is to be deleted. They have no index by job: their hashes are computed again
// from its content.
template <class Row>
std::vector<std::int64_t> read_facets(const Row& row) {
  const ClientName client{std::string(row.text(1))};
  if (!row.is_null(4)) return facets_of(client, webhook_from_json(row.text(4)));
  const MailMeta meta = mail_meta_from_json(row.jsonb(3));
  return facets_of(client, recipients_from_json(row.text(2)), meta.tags, meta.campaign_id, meta.metadata);
}

}  // namespace eilbote
