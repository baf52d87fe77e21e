#include "engine/courier.h"

#include "base/log.h"
#include "base/utf8.h"
#include "domain/after_attempt.h"
#include "domain/public_state.h"
#include "domain/tsid.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

constexpr std::size_t kErrorTextCharactersMax = 1000;

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

void log_outcome(const Job& after, const Finished& finished, const std::string& trace_id) {
  const std::string id = to_text(after.id);
  const std::string state = public_state_text(after);
  if (finished.verdict == Verdict::delivered && after.status == JobStatus::sent)
    return log::debug("mail sent",
                      {{"EmailId", id}, {"AttemptCount", after.attempts}, {"traceId", trace_id}});
  if (finished.verdict == Verdict::released) return log::debug("mail handed back", {{"EmailId", id}});
  const std::string next = is_final(after.status) ? "" : to_rfc3339(after.next_attempt_at);
  const std::string verdict(kVerdictNames.text(finished.verdict));
  if (after.status == JobStatus::failed)
    return log::warning("mail failed", {{"EmailId", id},
                                        {"AttemptCount", after.retry_count},
                                        {"class", verdict},
                                        {"deadReason", kDeadReasonNames.text(*after.dead_reason)},
                                        {"traceId", trace_id}});
  log::info("mail attempt ended", {{"EmailId", id},
                                   {"status", state},
                                   {"AttemptCount", after.retry_count},
                                   {"class", verdict},
                                   {"NextAttemptAt", next},
                                   {"traceId", trace_id}});
}

}  // namespace

// What must be remembered while the channel has the delivery.
struct Courier::Started {
  ClaimedJob claimed;
  std::vector<Recipient> recipients;
  AttemptRules rules;
  std::string trace_id;
  TimePoint at{};
  Clock::Steady began{};
};

Courier::Courier(MailChannel& channel, const Instance& instance, const Clock& clock, Random& random,
                 Metrics& metrics, CourierRules rules, std::function<void(Finished)> report)
    : channel_(channel),
      instance_(instance),
      clock_(clock),
      random_(random),
      metrics_(metrics),
      rules_(std::move(rules)),
      report_(std::move(report)) {}

void Courier::start(ClaimedJob claimed, MailContent content) {
  auto started = std::make_shared<Started>();
  started->claimed = std::move(claimed);
  started->recipients = content.recipients;
  started->rules.policy = content.retry.value_or(rules_.mail_policy);
  started->rules.on_uncertain = content.on_uncertain;
  started->rules.uncertain_delay = rules_.uncertain_delay;
  started->trace_id = content.trace_id;
  started->at = clock_.now();
  started->began = clock_.steady_now();

  // The lease is of the epoch it was claimed under: an instance that had to start anew may not use the old
  // one's.
  const std::int64_t epoch = started->claimed.token.value() >> 32;
  MailDelivery delivery{started->claimed.job, std::move(content),
                        [this, epoch] { return instance_.trusted() && instance_.epoch().value() == epoch; }};
  channel_.deliver(std::move(delivery), [this, started](DeliveryResult result) {
    // shared_ptr because std::function wants to be copyable; the callback is the only owner.
    report_(finish(*started, result));
  });
}

Finished Courier::hand_back(const ClaimedJob& claimed) const {
  Started never;
  never.claimed = claimed;
  return finish(never, DeliveryResult{});
}

Finished Courier::finish(const Started& started, const DeliveryResult& result) const {
  const Job& job = started.claimed.job;
  const Decision decision = after_attempt(job, started.recipients, result, started.rules, random_);
  const TimePoint now = clock_.now();
  const Clock::Steady ended = clock_.steady_now();

  Finished finished;
  finished.after = apply(job, decision, now);
  finished.pool = job.pool;
  finished.lane = started.claimed.lane;
  finished.verdict = result.verdict;
  finished.text = result.text;
  finished.at = ended;

  Settlement& settlement = finished.settlement;
  settlement.id = job.id;
  settlement.token = started.claimed.token;
  settlement.grouped = started.claimed.grouped;
  settlement.provider_message_id = clean_peer_text(result.provider_message_id, kErrorTextCharactersMax);
  if (decision.attempt_status) {
    Attempt attempt;
    attempt.number = decision.attempts;
    attempt.token = started.claimed.token;
    attempt.attempted_at = started.at;
    attempt.completed_at = now;
    attempt.duration = std::chrono::duration_cast<std::chrono::milliseconds>(ended - started.began);
    attempt.status = *decision.attempt_status;
    attempt.route = channel_.route();
    attempt.code = result.code;
    attempt.verdict = result.verdict;
    attempt.smtp_code = result.smtp_code;
    attempt.enhanced_code = clean_peer_text(result.enhanced_code, 16);
    attempt.response_code = result.response_code;
    if (decision.error_type) attempt.error_message = clean_peer_text(result.text, kErrorTextCharactersMax);
    attempt.error_type = decision.error_type;
    attempt.deferral = decision.deferral;
    settlement.attempt = attempt;
    metrics_.observe(Metric::attempt_seconds, std::chrono::duration<double>(ended - started.began).count(),
                     {channel_.route(), std::string(kVerdictNames.text(result.verdict))});
  }
  const std::string from = public_state_text(job), to = public_state_text(finished.after);
  if (from != to) settlement.event = StatusEvent{now, from, to, decision.reason, "engine", started.trace_id};
  settlement.decision = decision;
  for (RecipientResult& recipient : settlement.decision.recipients)
    recipient.reply = clean_peer_text(recipient.reply, kErrorTextCharactersMax);
  log_outcome(finished.after, finished, started.trace_id);
  return finished;
}

}  // namespace eilbote
