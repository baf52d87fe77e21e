// What people may do to a job, decided purely; the store applies it under the row's lock.
#pragma once

#include <optional>
#include <string>

#include "domain/job.h"

namespace eilbote {

enum class Act {
  cancel,   // before it is sent: not leased, not sent, not partly handed over
  retry,    // FAILED or BOUNCED: queued again with a fresh budget
  abandon,  // waiting: FAILED, Abandoned
};
inline constexpr auto kActNames =
    enum_names<Act>({{Act::cancel, "cancel"}, {Act::retry, "retry"}, {Act::abandon, "abandon"}});
static_assert(kActNames.complete());

struct ActDecision {
  JobStatus status = JobStatus::queued;
  bool resets_budget = false;             // retry: counters, error and report cleared, due now
  std::optional<DeadReason> dead_reason;  // abandon
  std::string from, to;                   // public states, for the status event
  std::string reason;
};

// nullopt: refused in this state.
std::optional<ActDecision> decide_act(const Job& job, Act act);

}  // namespace eilbote
