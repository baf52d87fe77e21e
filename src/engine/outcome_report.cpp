#include "engine/outcome_report.h"

#include "base/log.h"
#include "domain/public_state.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

// The route or the sender wants a person: the mail's own record says what the other side said.
void alarm(const Finished& finished, Metrics& metrics) {
  metrics.add(Metric::route_alarms, 1, {finished.route});
  log::error(
      "the route needs a person: the relay, our login or our sender is not right; the mail's last error says "
      "which",
      {{"route", finished.route},
       {"EmailId", to_text(finished.settlement.id)},
       {"class", kVerdictNames.text(finished.verdict)}});
}

std::string_view failed_event(ChannelKind channel) {
  return channel == ChannelKind::mail ? "mail failed" : "webhook failed";
}

void log_outcome(const Finished& finished) {
  const Job& after = finished.after;
  const bool quiet = finished.verdict == Verdict::released ||
                     (finished.verdict == Verdict::delivered && after.status == JobStatus::sent);
  if (quiet && !log::enabled(log::Level::debug)) return;
  const std::string id = to_text(after.id);
  const bool mail = after.channel == ChannelKind::mail;
  const std::string_view id_name = id_field(after.channel);
  if (finished.verdict == Verdict::delivered && after.status == JobStatus::sent)
    return log::debug(mail ? "mail sent" : "webhook delivered",
                      {{id_name, id}, {"AttemptCount", after.attempts}, {"traceId", finished.trace_id}});
  if (finished.verdict == Verdict::released)
    return log::debug(mail ? "mail handed back" : "webhook handed back", {{id_name, id}});
  const std::string state = public_state_text(after);
  const std::string next = is_final(after.status) ? "" : to_rfc3339(after.next_attempt_at);
  const std::string verdict(kVerdictNames.text(finished.verdict));
  if (after.status == JobStatus::failed)
    return log::warning(failed_event(after.channel),
                        {{id_name, id},
                         {"AttemptCount", after.retry_count},
                         {"class", verdict},
                         {"deadReason", kDeadReasonNames.text(*after.dead_reason)},
                         {"traceId", finished.trace_id}});
  log::info(mail ? "mail attempt ended" : "webhook attempt ended", {{id_name, id},
                                                                    {"status", state},
                                                                    {"AttemptCount", after.retry_count},
                                                                    {"class", verdict},
                                                                    {"NextAttemptAt", next},
                                                                    {"traceId", finished.trace_id}});
}

}  // namespace

void report_attempt(const Finished& finished, Metrics& metrics) {
  if (finished.settlement.attempt) {
    // Hosts are named by clients: as a label they would be without bound.
    const std::string_view label =
        finished.after.channel == ChannelKind::mail ? std::string_view(finished.route) : "webhook";
    metrics.observe(Metric::attempt_seconds, std::chrono::duration<double>(finished.took).count(),
                    {label, kVerdictNames.text(finished.verdict)});
  }
  if (finished.alarm) alarm(finished, metrics);
  log_outcome(finished);
}

void report_settled(const Finished& finished, Metrics& metrics) {
  const auto& event = finished.settlement.event;
  const bool mail = finished.after.channel == ChannelKind::mail;
  if (const auto& attempt = finished.settlement.attempt; !mail && attempt) {
    metrics.add(Metric::webhook_attempts, 1, {finished.pool, kVerdictNames.text(finished.verdict)});
    if (attempt->response_code == 410) metrics.add(Metric::endpoint_gone);
    if (finished.after.status == JobStatus::sent) metrics.add(Metric::webhooks_delivered);
  }
  if (mail && event && event->to == kMailStateNames.text(MailState::SENT)) metrics.add(Metric::messages_sent);
  if (mail && event && event->to == kMailStateNames.text(MailState::RETRY_PENDING))
    metrics.add(Metric::messages_retry_pending);
  if (finished.after.status == JobStatus::failed) {
    if (mail) metrics.add(Metric::messages_failed);
    metrics.add(Metric::dead, 1, {std::string(kDeadReasonNames.text(*finished.after.dead_reason))});
  }
  if (finished.settlement.decision.event == JobEvent::settle_retry ||
      finished.settlement.decision.event == JobEvent::settle_block)
    metrics.add(Metric::requeued, 1, {"retry"});
}

void report_stale(const Finished& finished, Metrics& metrics) {
  metrics.add(Metric::settle_stale);
  log::warning(
      "the result of an attempt was not recorded: the job is no longer this instance's, and may be "
      "delivered twice",
      {{id_field(finished.after.channel), to_text(finished.settlement.id)}});
}

void report_rescued(const SweepResult& swept, Metrics& metrics) {
  metrics.add(Metric::lease_losses, swept.changed);
  metrics.add(Metric::requeued, swept.changed - swept.failed, {"rescue"});
}

void report_unpublished(const SweepResult& swept, Metrics& metrics) {
  metrics.add(Metric::requeued, swept.changed, {"stale"});
  log::warning(
      "jobs lay in the broker for longer than EILBOTE_STALE_PUBLISHED_SECONDS and are published again: their "
      "messages are lost, or no worker takes them",
      {{"count", swept.changed}});
}

void report_dead(const SweepResult& swept, DeadReason reason, Metrics& metrics) {
  if (swept.failed == 0) return;
  for (const DeadJob& job : swept.dead)
    log::warning(failed_event(job.channel), {{id_field(job.channel), to_text(job.id)},
                                             {"AttemptCount", job.retry_count},
                                             {"deadReason", kDeadReasonNames.text(reason)}});
  if (swept.failed_mails > 0) metrics.add(Metric::messages_failed, swept.failed_mails);
  metrics.add(Metric::dead, swept.failed, {std::string(kDeadReasonNames.text(reason))});
}

void report_reported(const ReportOutcome& outcome, Metrics& metrics) {
  const auto became = [&](MailState state) {
    return outcome.kind == ReportKind::applied && outcome.from != outcome.to &&
           outcome.to == kMailStateNames.text(state);
  };
  if (became(MailState::SENT)) metrics.add(Metric::messages_sent);  // nobody knew before
  if (became(MailState::DELIVERED)) metrics.add(Metric::messages_delivered);
  if (became(MailState::BOUNCED)) metrics.add(Metric::messages_bounced);
  if (became(MailState::RETRY_PENDING)) {
    metrics.add(Metric::messages_retry_pending);
    metrics.add(Metric::requeued, 1, {"report"});
  }
  if (became(MailState::FAILED)) {
    metrics.add(Metric::messages_failed);
    metrics.add(Metric::dead, 1, {std::string(kDeadReasonNames.text(DeadReason::PermanentFailure))});
  }
}

void report_messages(CarrierQueue queue, MessageOutcome outcome, int count, Metrics& metrics) {
  metrics.add(Metric::broker_messages, count,
              {std::string(kCarrierQueueNames.text(queue)), std::string(kMessageOutcomeNames.text(outcome))});
}

void report_act(Act act, Metrics& metrics) {
  if (act == Act::retry) metrics.add(Metric::requeued, 1, {"operator"});
  if (act != Act::abandon) return;
  metrics.add(Metric::messages_failed);
  metrics.add(Metric::dead, 1, {std::string(kDeadReasonNames.text(DeadReason::Abandoned))});
}

}  // namespace eilbote
