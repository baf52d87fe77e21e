// What people may do to a job, decided purely; the store applies it under the row's lock.
#pragma once

#include <optional>
#include <string>

#include "domain/job.h"

namespace eilbote {

enum class Act {
  cancel,  // before it is sent: not being delivered (a webhook: its running attempt is the last), not partly handed over;
           // also a dead one that keeps its group's turn
  retry,   // FAILED or BOUNCED: queued again with a fresh budget; keeps its group's turn when it has it
  abandon,  // waiting: FAILED, Abandoned
  skip,     // dead and in its group's turn: cancelled, the group goes on
};
inline constexpr auto kActNames = enum_names<Act>(
    {{Act::cancel, "cancel"}, {Act::retry, "retry"}, {Act::abandon, "abandon"}, {Act::skip, "skip"}});
static_assert(kActNames.complete());

// How long a job lives on that is sent again after it had expired.
inline constexpr Duration kLifeAfterRetry = std::chrono::hours{24 * 5};

struct ActDecision {
  JobStatus status = JobStatus::queued;
  bool resets_budget = false;  // retry: counters, error and report cleared, due now
  bool sends_anew =
      false;  // retry of what was handed over before: what is known of that hand-over counts no more
  bool keeps_turn = false;  // of its group
  bool only_marks = false;  // it is being delivered: it is marked `cancelling`, and nothing else changes now
  std::optional<DeadReason> dead_reason;  // abandon
  std::string from, to;                   // public states, for the status event; none when it only marks
  std::string reason;
};

// nullopt: refused in this state. `broker`: one is configured, so a webhook job that waits is PENDING.
std::optional<ActDecision> decide_act(const Job& job, Act act, bool broker = false);

// What the audit log keeps of it: a JSON object, the states before and after.
std::string audit_detail(const ActDecision& decision);

// What goes on record of a webhook that was cancelled while it was leased, in place of `planned`, which its attempt (or
// the loss of its worker) would have made of it.
StatusEvent event_of_stop(const std::optional<StatusEvent>& planned);

}  // namespace eilbote
