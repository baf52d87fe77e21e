// The decision after an attempt: pure. Takes what the job was, what the channel said and the policy; returns
// what the row becomes and what goes on record. The ledger only writes it down, guarded by the lease token.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "domain/delivery.h"
#include "domain/job.h"
#include "domain/retry_policy.h"
#include "domain/states.h"

namespace eilbote {

struct AttemptRules {
  RetryPolicy policy;
  OnUncertain on_uncertain = OnUncertain::retry;
  Duration uncertain_delay = std::chrono::minutes{10};  // EILBOTE_UNCERTAIN_DELAY
  Duration configuration_delay = std::chrono::minutes{5};
};

// The longest run of deferrals that burns nothing.
inline constexpr int kDeferralsInARowMax = 100;
// A job that took this many workers with it is dead.
inline constexpr int kLeaseLossesMax = 10;
// Why a job ends that has no attempts left; for people.
inline constexpr std::string_view kAttemptsUsedUp = "attempts used up";

struct Decision {
  JobEvent event;  // settle_sent, settle_retry, settle_block, settle_failed or release
  JobStatus status;
  int retry_count = 0;
  int attempts = 0;
  int deferrals = 0;
  bool partial = false;
  // Wait until the next attempt, from the database's now; absent: due time stays as it is.
  std::optional<Duration> delay;
  std::optional<DeadReason> dead_reason;
  std::string last_error;                       // empty: cleared
  std::vector<RecipientResult> recipients;      // to be written
  std::optional<AttemptStatus> attempt_status;  // absent: nothing goes on record (released)
  std::optional<ErrorType> error_type;
  bool deferral = false;
  std::string reason;  // for the status event
};

// `recipients`: the job's recipients before this attempt, in envelope order.
Decision after_attempt(const Job& job, const std::vector<Recipient>& recipients, const DeliveryResult& result,
                       const AttemptRules& rules, Random& random);

}  // namespace eilbote
