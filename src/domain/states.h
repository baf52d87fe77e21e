// The states of a job and every legal move between them.
//
//             accept                        settle: sent
//   (nothing) ------> queued -----claim----> dispatching ----------> sent --report--> (sent, report set)
//                 |     ^  |                  |    |   |
//      accept     |     |  |  settle: retry,  |    |   +-----------> failed <--- expire, exhaust, abandon
//      (grouped)  |     +--|------------------+    |  settle: final     |
//                 v promote|  defer, release,      |                    +--- operator retry --> queued
//               blocked----+  rescue               +--> blocked                                 (or blocked)
//                                                  settle: retry in a group that goes on
//   queued --publish--> publishing --mark--> published --start--> dispatching     (brokers)
//   queued, blocked, publishing, published --cancel--> cancelled <--cancel, skip-- failed (in its group's turn)
//   dispatching (webhook) --cancel--> dispatching, marked --stop--> cancelled   (instead of retry, release, rescue)
//
// What is true in each state, and who moves a row on from it:
//   queued       due at next_attempt_at; no lease. claim (ledger), foreign claim, publish, cancel, expire
//   blocked      in its group's line, not its turn; no lease. promote (accept, settle, upkeep), cancel, expire
//   publishing   leased by a scheduler, which has only its name in hand. mark, start, rescue, cancel
//   published    in the broker; no lease. start, stale net, cancel, expire
//   dispatching  leased: a token, or none when a foreign worker has it (free 5 min after last_attempt_at).
//                settle, rescue; a webhook that is cancelled now is marked, and stops after this attempt
//   in_flight    a foreign worker's other word for dispatching; never written by Eilbote
//   sent         final, unless a provider reports a transient failure (reopen) or a bounced one is sent again
//   failed       dead: dead_reason says why. operator retry; cancel or skip where it keeps its group's turn; an uncertain
//                mail is sent after all when somebody reports on it
//   cancelled    final
#pragma once

#include <optional>
#include <span>

#include "domain/names.h"

namespace eilbote {

enum class JobEvent {
  claim,           // Ledger, or a foreign worker's SQL
  publish,         // scheduler
  mark_published,  // scheduler
  start,           // worker behind a broker
  settle_sent,
  settle_retry,
  settle_block,  // retry of a NEXT_ON_ERROR job: gives up its turn
  settle_failed,
  release,    // handed back, nothing burnt
  rescue,     // the lease's owner is gone
  lose,       // rescued for the 10th time: Abandoned
  promote,    // its group's turn
  unpublish,  // stale in the broker
  cancel,
  stop,  // cancelled while it was leased: in place of settle_retry, settle_block, release and rescue
  expire,
  exhaust,        // left queued with retry_count >= max_attempts by a foreign worker
  abandon,        // operator
  retry,          // operator, or reopened through /internal/dispatch/{id}
  report,         // provider: delivered or bounced; of an uncertain mail: somebody has it
  report_failed,  // provider: failed after all
  reopen,         // provider: transient failure after acceptance
};
inline constexpr auto kJobEventNames = enum_names<JobEvent>({{JobEvent::claim, "claim"},
                                                             {JobEvent::publish, "publish"},
                                                             {JobEvent::mark_published, "mark_published"},
                                                             {JobEvent::start, "start"},
                                                             {JobEvent::settle_sent, "settle_sent"},
                                                             {JobEvent::settle_retry, "settle_retry"},
                                                             {JobEvent::settle_block, "settle_block"},
                                                             {JobEvent::settle_failed, "settle_failed"},
                                                             {JobEvent::release, "release"},
                                                             {JobEvent::rescue, "rescue"},
                                                             {JobEvent::lose, "lose"},
                                                             {JobEvent::promote, "promote"},
                                                             {JobEvent::unpublish, "unpublish"},
                                                             {JobEvent::cancel, "cancel"},
                                                             {JobEvent::stop, "stop"},
                                                             {JobEvent::expire, "expire"},
                                                             {JobEvent::exhaust, "exhaust"},
                                                             {JobEvent::abandon, "abandon"},
                                                             {JobEvent::retry, "retry"},
                                                             {JobEvent::report, "report"},
                                                             {JobEvent::report_failed, "report_failed"},
                                                             {JobEvent::reopen, "reopen"}});
static_assert(kJobEventNames.complete());

struct JobTransition {
  JobStatus from;
  JobEvent event;
  JobStatus to;
};

// The table itself, for tests and `eilbote describe states`.
std::span<const JobTransition> job_transitions();

// The only way to change a state; nullopt: refused.
std::optional<JobStatus> next_status(JobStatus from, JobEvent event);

bool is_leased(JobStatus status);
bool is_final(JobStatus status);

// The moves of a mail's public state that may ever be seen, for the history checks in tests.
bool mail_move_is_legal(MailState from, MailState to);

}  // namespace eilbote
