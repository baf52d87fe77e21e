#include "store/postgres/job_rows.h"

namespace eilbote::postgres {
namespace {

// A text the CHECK constraints keep inside the table of names; a foreign program cannot bring in another.
template <class Enum, std::size_t N>
std::optional<Enum> read_name(const EnumNames<Enum, N>& names, const Row& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return names.parse(row.text(column));
}

}  // namespace

LaneId read_lane(const Row& row) {
  return LaneId{row.int4(1)};
}

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

void name_job(Job& job, const Lane& lane) {
  job.client = lane.client;
  job.pool = lane.pool;
  job.route = lane.route;
}

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

Result<void> know_lanes(Directory& directory, Connection& connection, const Rows& rows) {
  for (const Row row : rows)
    if (!directory.lane(read_lane(row))) return directory.reload(connection);
  return {};
}

}  // namespace eilbote::postgres
