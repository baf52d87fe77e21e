#include "engine/finished.h"

#include "base/utf8.h"
#include "domain/after_attempt.h"
#include "domain/public_state.h"

namespace eilbote {
namespace {

// The channel has cut it already; this only holds it to that.
constexpr std::size_t kResponseCharactersMax = 5'100;
constexpr std::size_t kDiagnosticCharactersMax = 10'000;
constexpr std::size_t kEnhancedCodeCharactersMax = 16;

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

Attempt attempt_of(const Started& started, const DeliveryResult& result, const Decision& decision,
                   const Finished& finished, TimePoint now) {
  Attempt attempt;
  attempt.number = decision.attempts;
  attempt.token = started.claimed.token;
  attempt.attempted_at = started.at;
  attempt.completed_at = now;
  attempt.duration = std::chrono::duration_cast<std::chrono::milliseconds>(finished.took);
  attempt.status = *decision.attempt_status;
  attempt.route = finished.route;
  attempt.code = result.code;
  attempt.verdict = result.verdict;
  attempt.smtp_code = result.smtp_code;
  attempt.enhanced_code = clean_peer_text(result.enhanced_code, kEnhancedCodeCharactersMax);
  attempt.response_code = result.response_code;
  attempt.response_body = clean_peer_text(result.response_body, kResponseCharactersMax);
  attempt.diagnostic = clean_peer_text(result.diagnostic, kDiagnosticCharactersMax);
  if (decision.error_type) attempt.error_message = clean_peer_text(result.text, kErrorTextMax);
  attempt.error_type = decision.error_type;
  attempt.deferral = decision.deferral;
  return attempt;
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

Started make_started(ClaimedJob claimed, const WebhookContent& content, const CourierRules& rules, bool probe,
                     const Clock& clock) {
  Started started;
  started.claimed = std::move(claimed);
  started.rules.policy = retry_policy_of(content.webhook);
  started.route = started.claimed.job.route;
  started.trace_id = content.trace_id;
  started.probe = probe;
  started.broker = rules.broker;
  started.at = clock.now();
  started.began = clock.steady_now();
  return started;
}

std::unique_ptr<Finished> make_finished(const Started& started, DeliveryResult&& result, const Clock& clock,
                                        Random& random) {
  const Job& job = started.claimed.job;
  const TimePoint now = clock.now();
  auto made = std::make_unique<Finished>();
  Finished& finished = *made;
  finished.verdict = result.verdict;
  if (started.probe && result.verdict == Verdict::transient) result.verdict = Verdict::deferred;
  Decision decision = after_attempt(job, started.recipients, result, started.rules, random);
  finished.after = apply(job, decision, now);
  finished.pool = job.pool;
  finished.lane = started.claimed.lane;
  finished.probe = started.probe;
  finished.alarm = result.alarm;
  finished.route = result.route.empty() ? started.route : result.route;
  finished.trace_id = started.trace_id;
  finished.at = clock.steady_now();
  finished.took = std::chrono::duration_cast<Duration>(finished.at - started.began);

  Settlement& settlement = finished.settlement;
  settlement.id = job.id;
  settlement.token = started.claimed.token;
  settlement.grouped = started.claimed.grouped;
  settlement.provider_message_id = clean_peer_text(result.provider_message_id, kErrorTextMax);
  if (decision.attempt_status) settlement.attempt = attempt_of(started, result, decision, finished, now);
  const std::string from = public_state_text(job, when_due(job, started.broker)),
                    to = public_state_text(finished.after, when_due(finished.after, started.broker));
  if (from != to)
    settlement.event =
        StatusEvent{now, from, to, decision.reason, std::string(kEngineActor), started.trace_id};
  settlement.decision = std::move(decision);
  for (RecipientResult& recipient : settlement.decision.recipients)
    recipient.reply = clean_peer_text(recipient.reply, kErrorTextMax);
  finished.text = std::move(result.text);
  return made;
}

}  // namespace eilbote
