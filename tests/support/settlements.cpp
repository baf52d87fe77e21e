#include "support/settlements.h"

namespace eilbote::test {
namespace {

bool was_retried(const Job& job) {
  return job.retry_count > 0 || job.deferrals > 0 || job.partial;
}

Attempt attempt_of(const ClaimedJob& claimed, AttemptStatus status, Verdict verdict) {
  Attempt attempt;
  attempt.number = claimed.job.attempts + 1;
  attempt.token = claimed.token;
  attempt.attempted_at = claimed.job.last_attempt_at.value_or(TimePoint{});
  attempt.completed_at = attempt.attempted_at + std::chrono::milliseconds{25};
  attempt.duration = std::chrono::milliseconds{25};
  attempt.status = status;
  attempt.route = "capture";
  attempt.verdict = verdict;
  return attempt;
}

// The row as it was, the lease given back.
Settlement settlement_of(const ClaimedJob& claimed, JobEvent event, JobStatus status) {
  Settlement s;
  s.id = claimed.job.id;
  s.token = claimed.token;
  s.grouped = claimed.grouped;
  s.decision.event = event;
  s.decision.status = status;
  s.decision.retry_count = claimed.job.retry_count;
  s.decision.attempts = claimed.job.attempts;
  s.decision.deferrals = claimed.job.deferrals;
  s.decision.partial = claimed.job.partial;
  s.decision.last_error = claimed.job.last_error;
  return s;
}

void put_on_record(Settlement& s, const ClaimedJob& claimed, AttemptStatus status, Verdict verdict) {
  s.attempt = attempt_of(claimed, status, verdict);
  s.decision.attempts = claimed.job.attempts + 1;
  s.decision.attempt_status = status;
}

void say(Settlement& s, const ClaimedJob& claimed, const std::string& to, const std::string& reason) {
  const std::string from = was_retried(claimed.job) ? "RETRY_PENDING" : "QUEUED";
  s.decision.reason = reason;
  if (from != to) s.event = StatusEvent{{}, from, to, reason, "engine", "4bf92f3577b34da6a3ce929d0e0e4736"};
}

Settlement failed_attempt(const ClaimedJob& claimed, JobEvent event, JobStatus status, ErrorType type) {
  Settlement s = settlement_of(claimed, event, status);
  const bool permanent = type == ErrorType::PERMANENT;
  put_on_record(s, claimed, AttemptStatus::SERVER_ERROR, permanent ? Verdict::permanent : Verdict::transient);
  s.decision.retry_count = claimed.job.retry_count + 1;
  s.decision.deferrals = 0;
  s.decision.last_error = permanent ? "550 5.1.1 no such user" : "451 4.7.1 try later";
  s.decision.error_type = type;
  s.attempt->error_type = type;
  s.attempt->error_message = s.decision.last_error;
  s.attempt->code = permanent ? "SMTP_550" : "SMTP_451";
  s.attempt->smtp_code = permanent ? 550 : 451;
  s.attempt->enhanced_code = permanent ? "5.1.1" : "4.7.1";
  return s;
}

}  // namespace

Settlement settle_sent(const ClaimedJob& claimed) {
  Settlement s = settlement_of(claimed, JobEvent::settle_sent, JobStatus::sent);
  put_on_record(s, claimed, AttemptStatus::SUCCESS, Verdict::delivered);
  s.decision.deferrals = 0;
  s.decision.partial = false;
  s.decision.last_error.clear();
  s.decision.recipients = {RecipientResult{0, RecipientStatus::taken, "250 ok"}};
  s.provider_message_id = "captured";
  say(s, claimed, "SENT", "delivered");
  return s;
}

Settlement settle_retry(const ClaimedJob& claimed, Duration delay) {
  Settlement s = failed_attempt(claimed, JobEvent::settle_retry, JobStatus::queued, ErrorType::TRANSIENT);
  s.decision.delay = delay;
  say(s, claimed, "RETRY_PENDING", "try later");
  return s;
}

Settlement settle_block(const ClaimedJob& claimed, Duration delay) {
  Settlement s = settle_retry(claimed, delay);
  s.decision.event = JobEvent::settle_block;
  s.decision.status = JobStatus::blocked;
  return s;
}

Settlement settle_deferred(const ClaimedJob& claimed, Duration delay) {
  Settlement s = settlement_of(claimed, JobEvent::settle_retry, JobStatus::queued);
  put_on_record(s, claimed, AttemptStatus::SERVER_ERROR, Verdict::deferred);
  s.decision.deferrals = claimed.job.deferrals + 1;
  s.decision.delay = delay;
  s.decision.last_error = "452 too busy";
  s.decision.deferral = true;
  s.attempt->deferral = true;
  s.attempt->error_message = s.decision.last_error;
  say(s, claimed, "RETRY_PENDING", "deferred");
  return s;
}

Settlement settle_partial(const ClaimedJob& claimed, Duration delay) {
  Settlement s = settle_retry(claimed, delay);
  s.decision.partial = true;
  s.decision.recipients = {RecipientResult{0, RecipientStatus::taken, "250 ok"}};
  return s;
}

Settlement settle_failed(const ClaimedJob& claimed, DeadReason reason) {
  Settlement s = failed_attempt(claimed, JobEvent::settle_failed, JobStatus::failed, ErrorType::PERMANENT);
  s.decision.dead_reason = reason;
  say(s, claimed, "FAILED", "refused for good");
  return s;
}

Settlement settle_released(const ClaimedJob& claimed) {
  return settlement_of(claimed, JobEvent::release, JobStatus::queued);
}

}  // namespace eilbote::test
