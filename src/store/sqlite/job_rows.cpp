#include "store/sqlite/job_rows.h"

namespace eilbote::sqlite {
namespace {

template <class Names>
auto parsed(const Names& names, const Run& row, int column) {
  return names.parse(row.text(column));
}

}  // namespace

Job job_of(const Run& row) {
  Job job;
  job.id = JobId{row.integer(kJobId)};
  job.channel = parsed(kChannelNames, row, kChannel).value_or(ChannelKind::mail);
  job.status = parsed(kJobStatusNames, row, kStatus).value_or(JobStatus::queued);
  job.retry_count = row.small(kRetryCount);
  job.attempts_max = row.small(kMaxAttempts);
  job.attempts = row.small(kAttempts);
  job.deferrals = row.small(kDeferrals);
  job.losses = row.small(kLosses);
  job.partial = row.truth(kPartial);
  job.group_mode = parsed(kGroupModeNames, row, kGroupMode).value_or(GroupMode::IMMEDIATE);
  job.report = parsed(kReportNames, row, kReport);
  job.dead_reason = parsed(kDeadReasonNames, row, kDeadReason);
  job.last_error = row.text(kLastError);
  job.created_at = row.time(kCreatedAt);
  job.updated_at = row.time(kUpdatedAt);
  job.next_attempt_at = row.time(kNextAttemptAt);
  job.last_attempt_at = row.time_if_any(kLastAttemptAt);
  job.finished_at = row.time_if_any(kFinishedAt);
  job.expires_at = row.time_if_any(kExpiresAt);
  return job;
}

Attempt attempt_of(const Run& row) {
  Attempt attempt;
  int column = 0;
  attempt.number = row.small(column++);
  attempt.token = LeaseToken{row.integer(column++)};
  attempt.attempted_at = row.time(column++);
  attempt.completed_at = row.time(column++);
  attempt.duration = std::chrono::milliseconds{row.integer(column++)};
  attempt.status = parsed(kAttemptStatusNames, row, column++).value_or(AttemptStatus::SUCCESS);
  attempt.route = row.text(column++);
  attempt.code = row.text(column++);
  attempt.verdict = parsed(kVerdictNames, row, column++);
  attempt.smtp_code = row.small(column++);
  attempt.enhanced_code = row.text(column++);
  attempt.response_code = row.small(column++);
  attempt.error_message = row.text(column++);
  attempt.error_type = parsed(kErrorTypeNames, row, column++);
  attempt.deferral = row.truth(column++);
  attempt.response_body = row.text(column++);
  attempt.diagnostic = row.text(column++);
  return attempt;
}

void add_results(Database& database, JobId job, std::vector<Recipient>& recipients) {
  Run run = database.run(sql::sqlite::load_recipients);
  for (run.with(job); run.row();) {
    const auto n = static_cast<std::size_t>(run.integer(0));
    if (n >= recipients.size()) continue;
    recipients[n].status = parsed(kRecipientStatusNames, run, 1).value_or(RecipientStatus::waiting);
    recipients[n].reply = run.text(2);
  }
}

TokenRange tokens_of(Epoch epoch) {
  const std::int64_t first = make_lease_token(epoch, 0).value();
  return {first, first | 0xFFFFFFFF};
}

}  // namespace eilbote::sqlite
