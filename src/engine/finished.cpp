#include "engine/finished.h"

#include "base/log.h"
#include "base/utf8.h"
#include "domain/after_attempt.h"
#include "domain/public_state.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

// The channel has cut it already; this only holds it to that.
constexpr std::size_t kResponseCharactersMax = 5'100;
constexpr std::size_t kDiagnosticCharactersMax = 10'000;

// The job as the row will read once the decision is written.
Job apply(const Job& job, const Decision& decision, TimePoint now) {
  Job after = job;
  after.status = decision.status;
  after.retry_count = decision.retry_count;
  after.attempts = decision.attempts;
  after.deferrals = decision.deferrals;
  after.partial = decision.partial;
  after.dead_reason = decision.dead_reason;
  after.last_error = decision.last_error;
  if (decision.delay) after.next_attempt_at = now + *decision.delay;
  if (is_final(after.status)) after.finished_at = now;
  return after;
}

// The route or the sender wants a person: the mail's own record says what the other side said.
void alarm(const std::string& route, const Finished& finished, Metrics& metrics) {
  metrics.add(Metric::route_alarms, 1, {route});
  log::error(
      "the route needs a person: the relay, our login or our sender is not right; the mail's last error says "
      "which",
      {{"route", route},
       {"EmailId", to_text(finished.settlement.id)},
       {"class", kVerdictNames.text(finished.verdict)}});
}

void log_outcome(const Job& after, const Finished& finished, const std::string& trace_id) {
  const bool quiet = finished.verdict == Verdict::released ||
                     (finished.verdict == Verdict::delivered && after.status == JobStatus::sent);
  if (quiet && !log::enabled(log::Level::debug)) return;
  const std::string id = to_text(after.id);
  const bool mail = after.channel == ChannelKind::mail;
  const std::string_view id_name = id_field(after.channel);
  if (finished.verdict == Verdict::delivered && after.status == JobStatus::sent)
    return log::debug(mail ? "mail sent" : "webhook delivered",
                      {{id_name, id}, {"AttemptCount", after.attempts}, {"traceId", trace_id}});
  if (finished.verdict == Verdict::released)
    return log::debug(mail ? "mail handed back" : "webhook handed back", {{id_name, id}});
  const std::string state = public_state_text(after);
  const std::string next = is_final(after.status) ? "" : to_rfc3339(after.next_attempt_at);
  const std::string verdict(kVerdictNames.text(finished.verdict));
  if (after.status == JobStatus::failed)
    return log::warning(mail ? "mail failed" : "webhook failed",
                        {{id_name, id},
                         {"AttemptCount", after.retry_count},
                         {"class", verdict},
                         {"deadReason", kDeadReasonNames.text(*after.dead_reason)},
                         {"traceId", trace_id}});
  log::info(mail ? "mail attempt ended" : "webhook attempt ended", {{id_name, id},
                                                                    {"status", state},
                                                                    {"AttemptCount", after.retry_count},
                                                                    {"class", verdict},
                                                                    {"NextAttemptAt", next},
                                                                    {"traceId", trace_id}});
}

}  // namespace

Started make_started(ClaimedJob claimed, const MailContent& content, const CourierRules& rules,
                     const std::string& route, const Clock& clock) {
  Started started;
  started.claimed = std::move(claimed);
  started.recipients = content.recipients;
  started.rules.policy = content.retry.value_or(rules.mail_policy);
  started.rules.on_uncertain = content.on_uncertain;
  started.rules.uncertain_delay = rules.uncertain_delay;
  started.route = route;
  started.trace_id = content.trace_id;
  started.at = clock.now();
  started.began = clock.steady_now();
  return started;
}

Started make_started(ClaimedJob claimed, const WebhookContent& content, bool probe, const Clock& clock) {
  Started started;
  started.claimed = std::move(claimed);
  started.rules.policy = retry_policy_of(content.webhook);
  started.route = started.claimed.job.route;
  started.trace_id = content.trace_id;
  started.probe = probe;
  started.at = clock.now();
  started.began = clock.steady_now();
  return started;
}

Finished make_finished(const Started& started, DeliveryResult result, const Clock& clock, Random& random,
                       Metrics& metrics) {
  const Job& job = started.claimed.job;
  const Verdict verdict = result.verdict;
  if (started.probe && verdict == Verdict::transient) result.verdict = Verdict::deferred;
  Decision decision = after_attempt(job, started.recipients, result, started.rules, random);
  const TimePoint now = clock.now();
  const std::string& route = result.route.empty() ? started.route : result.route;
  const Clock::Steady ended = clock.steady_now();

  Finished finished;
  finished.after = apply(job, decision, now);
  finished.pool = job.pool;
  finished.lane = started.claimed.lane;
  finished.verdict = verdict;
  finished.probe = started.probe;
  finished.text = result.text;
  finished.at = ended;

  Settlement& settlement = finished.settlement;
  settlement.id = job.id;
  settlement.token = started.claimed.token;
  settlement.grouped = started.claimed.grouped;
  settlement.provider_message_id = clean_peer_text(result.provider_message_id, kErrorTextMax);
  if (decision.attempt_status) {
    Attempt attempt;
    attempt.number = decision.attempts;
    attempt.token = started.claimed.token;
    attempt.attempted_at = started.at;
    attempt.completed_at = now;
    attempt.duration = std::chrono::duration_cast<std::chrono::milliseconds>(ended - started.began);
    attempt.status = *decision.attempt_status;
    attempt.route = route;
    attempt.code = result.code;
    attempt.verdict = result.verdict;
    attempt.smtp_code = result.smtp_code;
    attempt.enhanced_code = clean_peer_text(result.enhanced_code, 16);
    attempt.response_code = result.response_code;
    attempt.response_body = clean_peer_text(result.response_body, kResponseCharactersMax);
    attempt.diagnostic = clean_peer_text(result.diagnostic, kDiagnosticCharactersMax);
    if (decision.error_type) attempt.error_message = clean_peer_text(result.text, kErrorTextMax);
    attempt.error_type = decision.error_type;
    attempt.deferral = decision.deferral;
    settlement.attempt = std::move(attempt);
    // Hosts are named by clients: as a label they would be without bound.
    const std::string label = job.channel == ChannelKind::mail ? route : "webhook";
    metrics.observe(Metric::attempt_seconds, std::chrono::duration<double>(ended - started.began).count(),
                    {label, std::string(kVerdictNames.text(verdict))});
  }
  const std::string from = public_state_text(job), to = public_state_text(finished.after);
  if (from != to)
    settlement.event =
        StatusEvent{now, from, to, decision.reason, std::string(kEngineActor), started.trace_id};
  settlement.decision = std::move(decision);
  for (RecipientResult& recipient : settlement.decision.recipients)
    recipient.reply = clean_peer_text(recipient.reply, kErrorTextMax);
  if (result.alarm) alarm(route, finished, metrics);
  log_outcome(finished.after, finished, started.trace_id);
  return finished;
}

}  // namespace eilbote
