// What becomes of jobs, told to metrics and log: the one place that says what counts as sent, failed, dead or requeued. Called
// by the courier and the orphan desk (attempts), the ledger (settlements, a broker's messages), upkeep (sweeps), the report desk
// (delivery reports) and the API (acts of people). A crash between a commit and its report loses the count, never the job.
#pragma once

#include "domain/carried_job.h"
#include "engine/finished.h"
#include "ports/outbox_care.h"
#include "ports/report_book.h"

namespace eilbote {

struct Metrics;

// An attempt is over, and not settled yet: how long it took, an alarm where the route wants a person, a line in the log.
void report_attempt(const Finished& finished, Metrics& metrics);
// Its settlement is committed.
void report_settled(const Finished& finished, Metrics& metrics);
// Its settlement changed nothing: somebody else has the job.
void report_stale(const Finished& finished, Metrics& metrics);

// Upkeep took jobs back from workers that are gone.
void report_rescued(const SweepResult& swept, Metrics& metrics);
// Upkeep took jobs back that were in the broker for too long.
void report_unpublished(const SweepResult& swept, Metrics& metrics);
// Those of a sweep that ended dead.
void report_dead(const SweepResult& swept, DeadReason reason, Metrics& metrics);

// A delivery report was taken, and this came of it.
void report_reported(const ReportOutcome& outcome, Metrics& metrics);

// What a broker's message did.
enum class MessageOutcome {
  started,    // its job is under way
  put_back,   // its job could not be started now, and will be published again
  stale,      // a duplicate, or about an attempt that is over
  malformed,  // not about a job at all
};
inline constexpr auto kMessageOutcomeNames =
    enum_names<MessageOutcome>({{MessageOutcome::started, "started"},
                                {MessageOutcome::put_back, "put-back"},
                                {MessageOutcome::stale, "stale"},
                                {MessageOutcome::malformed, "malformed"}});
static_assert(kMessageOutcomeNames.complete());
void report_messages(CarrierQueue queue, MessageOutcome outcome, int count, Metrics& metrics);

// Somebody's act was done.
void report_act(Act act, Metrics& metrics);

}  // namespace eilbote
