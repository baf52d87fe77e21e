#include "domain/acts.h"

#include "domain/public_state.h"
#include "domain/states.h"

namespace eilbote {
namespace {

JobEvent event_of(Act act) {
  switch (act) {
    case Act::cancel:
    case Act::skip:
      return JobEvent::cancel;
    case Act::retry:
      return JobEvent::retry;
    case Act::abandon:
      return JobEvent::abandon;
  }
  return JobEvent::cancel;
}

// Dead, and nobody else of its group may go before a person has said what becomes of it.
bool blocks_its_group(const Job& job) {
  return job.status == JobStatus::failed && job.group_mode == GroupMode::BLOCK_ON_ERROR && job.holds_turn;
}

// What the table of states cannot know, because it looks at the status alone.
bool is_refused(const Job& job, Act act) {
  switch (act) {
    case Act::cancel:
      // What was partly handed over is neither unsent nor failed: it can only go on.
      if (job.partial) return true;
      if (job.status == JobStatus::failed) return !blocks_its_group(job);
      // A mail under way may be with the provider already; a webhook's running attempt can be made its last.
      return job.status == JobStatus::dispatching && job.channel != ChannelKind::webhook;
    case Act::skip:
      return !blocks_its_group(job);
    case Act::abandon:
      return job.partial;
    case Act::retry:
      // Sent is only sent again when it came back.
      return job.status == JobStatus::sent && job.report != Report::bounced;
  }
  return true;
}

void decide_retry(const Job& job, ActDecision& decision, Job& after) {
  decision.resets_budget = true;
  // One that failed may have been handed over without anybody knowing: what is known of it still counts.
  decision.sends_anew = job.status == JobStatus::sent;
  decision.reason = "sent again by an operator";
  after.retry_count = after.deferrals = 0;
  after.partial = false;
  after.report.reset();
  after.dead_reason.reset();
  // In its group's turn it goes before all others. Without, it joins the line again; the store promotes it then.
  decision.keeps_turn = blocks_its_group(job);
  if (job.group_mode != GroupMode::IMMEDIATE && !decision.keeps_turn) decision.status = JobStatus::blocked;
}

}  // namespace

std::optional<ActDecision> decide_act(const Job& job, Act act, bool broker) {
  const auto next = next_status(job.status, event_of(act));
  if (!next || is_refused(job, act)) return std::nullopt;

  ActDecision decision;
  decision.status = *next;
  Job after = job;
  after.status = *next;
  switch (act) {
    case Act::cancel:
      decision.reason = "cancelled";
      decision.only_marks = job.status == JobStatus::dispatching;
      decision.keeps_turn = decision.only_marks;
      break;
    case Act::skip:
      decision.reason = "skipped by an operator";
      break;
    case Act::abandon:
      decision.dead_reason = DeadReason::Abandoned;
      decision.reason = "given up by an operator";
      break;
    case Act::retry:
      decide_retry(job, decision, after);
      break;
  }
  if (decision.only_marks) return decision;
  decision.from = public_state_text(job, when_due(job, broker));
  decision.to = public_state_text(after, when_due(after, broker));
  return decision;
}

std::string audit_detail(const ActDecision& decision) {
  if (decision.only_marks) return R"({"cancelling":true})";
  // States are enumerators' names: nothing in them needs escaping.
  return R"({"from":")" + decision.from + R"(","to":")" + decision.to + R"("})";
}

StatusEvent event_of_stop(const std::optional<StatusEvent>& planned) {
  StatusEvent event = planned.value_or(StatusEvent{});
  if (event.from.empty()) event.from = kWebhookStateNames.text(WebhookState::IN_PROGRESS);
  if (event.actor.empty()) event.actor = kEngineActor;
  event.to = kWebhookStateNames.text(WebhookState::CANCELLED);
  event.reason = "cancelled while it was under way";
  return event;
}

}  // namespace eilbote
