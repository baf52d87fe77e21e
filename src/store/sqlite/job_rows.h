// Rows as domain values. The column order of a job is the one of claim_due, claim_one, find_many and
// lock_job.
#pragma once

#include "domain/job.h"
#include "store/sqlite/database.h"

namespace eilbote::sqlite {

// Columns of a job, from the first; what follows is each statement's own.
enum JobColumn : int {
  kJobId,
  kChannel,
  kLane,
  kClient,
  kStatus,
  kRetryCount,
  kMaxAttempts,
  kAttempts,
  kDeferrals,
  kLosses,
  kPartial,
  kGroupMode,
  kReport,
  kDeadReason,
  kLastError,
  kCreatedAt,
  kUpdatedAt,
  kNextAttemptAt,
  kLastAttemptAt,
  kFinishedAt,
  kExpiresAt,
  kGroup,
  kAfterJob,
};

// Everything but the client's name and the pool, which the caller knows from elsewhere.
Job job_of(const Run& row);

// The columns of find_attempts_of and last_failure.
Attempt attempt_of(const Run& row);

// Writes the results of `job` into its recipients (statement load_recipients).
void add_results(Database& database, JobId job, std::vector<Recipient>& recipients);

// Every token of an epoch lies between these two.
struct TokenRange {
  std::int64_t first, last;
};
TokenRange tokens_of(Epoch epoch);

}  // namespace eilbote::sqlite
