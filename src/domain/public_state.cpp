#include "domain/public_state.h"

namespace eilbote {
namespace {

// Whether a failure, a deferral or a partial hand-over lies behind a job that still waits.
bool tried_before(const Job& job) {
  return job.retry_count > 0 || job.deferrals > 0 || job.partial;
}

}  // namespace

MailState mail_state(const Job& job) {
  switch (job.status) {
    case JobStatus::queued:
    case JobStatus::blocked:
    case JobStatus::publishing:
    case JobStatus::published:
    case JobStatus::dispatching:
    case JobStatus::in_flight:
      return tried_before(job) ? MailState::RETRY_PENDING : MailState::QUEUED;
    case JobStatus::sent:
      if (job.report == Report::delivered) return MailState::DELIVERED;
      if (job.report == Report::bounced) return MailState::BOUNCED;
      return MailState::SENT;
    case JobStatus::failed:
      return MailState::FAILED;
    case JobStatus::cancelled:
      return MailState::CANCELLED;
  }
  return MailState::QUEUED;
}

WebhookState webhook_state(const Job& job, const WebhookView& view) {
  switch (job.status) {
    case JobStatus::publishing:
      return job.retry_count > 0 && job.deferrals == 0 ? WebhookState::ERROR : WebhookState::PENDING;
    case JobStatus::queued:
    case JobStatus::blocked:
      if (job.retry_count > 0 && job.deferrals == 0) return WebhookState::ERROR;
      if (view.broker || job.next_attempt_at > view.now) {
        // Scheduled for later, or not in the broker yet; a deferral that waits stays QUEUED.
        if (view.broker || job.attempts == 0) return WebhookState::PENDING;
      }
      return WebhookState::QUEUED;
    case JobStatus::published:
      return job.retry_count > 0 && job.deferrals == 0 ? WebhookState::ERROR : WebhookState::QUEUED;
    case JobStatus::dispatching:
    case JobStatus::in_flight:
      return WebhookState::IN_PROGRESS;
    case JobStatus::sent:
      return WebhookState::COMPLETED;
    case JobStatus::failed:
      return job.dead_reason == DeadReason::Expired ? WebhookState::CANCELLED : WebhookState::ERROR;
    case JobStatus::cancelled:
      return WebhookState::CANCELLED;
  }
  return WebhookState::PENDING;
}

EmailLogState email_log_state(const Job& job) {
  switch (job.status) {
    case JobStatus::queued:
    case JobStatus::blocked:
      return tried_before(job) ? EmailLogState::Failed : EmailLogState::Pending;
    case JobStatus::published:
      return EmailLogState::Pending;
    case JobStatus::publishing:
      return EmailLogState::RetryQueued;
    case JobStatus::dispatching:
    case JobStatus::in_flight:
      return EmailLogState::Sending;
    case JobStatus::sent:
      return EmailLogState::Sent;
    case JobStatus::failed:
      return EmailLogState::Dead;
    case JobStatus::cancelled:
      return EmailLogState::Cancelled;
  }
  return EmailLogState::Pending;
}

WebhookView when_due(const Job& job, bool broker) {
  return {broker, job.next_attempt_at};
}

std::string public_state_text(const Job& job, const WebhookView& view) {
  if (job.channel == ChannelKind::mail) return std::string(kMailStateNames.text(mail_state(job)));
  return std::string(kWebhookStateNames.text(webhook_state(job, view)));
}

std::string public_state_text(const Job& job, TimePoint now) {
  return public_state_text(job, WebhookView{false, now});
}

std::string public_state_text(const Job& job) {
  return public_state_text(job, when_due(job, false));
}

}  // namespace eilbote
