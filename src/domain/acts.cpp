#include "domain/acts.h"

#include "domain/public_state.h"
#include "domain/states.h"

namespace eilbote {
namespace {

JobEvent event_of(Act act) {
  switch (act) {
    case Act::cancel:
      return JobEvent::cancel;
    case Act::retry:
      return JobEvent::retry;
    case Act::abandon:
      return JobEvent::abandon;
  }
  return JobEvent::cancel;
}

}  // namespace

std::optional<ActDecision> decide_act(const Job& job, Act act) {
  const auto next = next_status(job.status, event_of(act));
  if (!next) return std::nullopt;
  // What was partly handed over is neither unsent nor failed: it can only go on.
  if (act != Act::retry && job.partial) return std::nullopt;
  // Sent is only sent again when it came back.
  if (act == Act::retry && job.status == JobStatus::sent && job.report != Report::bounced)
    return std::nullopt;

  ActDecision decision;
  decision.status = *next;
  Job after = job;
  after.status = *next;
  switch (act) {
    case Act::cancel:
      decision.reason = "cancelled";
      break;
    case Act::abandon:
      decision.dead_reason = DeadReason::Abandoned;
      decision.reason = "given up by an operator";
      break;
    case Act::retry:
      decision.resets_budget = true;
      decision.reason = "sent again by an operator";
      after.retry_count = after.deferrals = 0;
      after.partial = false;
      after.report.reset();
      // In a group it joins the line again; the store promotes it when it is its turn.
      if (job.group_mode != GroupMode::IMMEDIATE) decision.status = JobStatus::blocked;
      break;
  }
  decision.from = public_state_text(job);
  decision.to = public_state_text(after);
  return decision;
}

}  // namespace eilbote
