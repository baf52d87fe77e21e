#include "domain/after_attempt.h"

#include <algorithm>

#include "base/assert.h"
#include "base/utf8.h"

namespace eilbote {
namespace {

// How the recipients stand once this attempt's results are applied.
struct Tally {
  int waiting = 0;
  int taken = 0;  // by a provider, now or earlier, whatever was reported since
};

Tally tally(const std::vector<Recipient>& before, const std::vector<RecipientResult>& changes) {
  std::vector<RecipientStatus> now;
  for (const Recipient& r : before)
    now.push_back(r.status);
  for (const RecipientResult& change : changes) {
    EILBOTE_ASSERT(change.index >= 0 && static_cast<std::size_t>(change.index) < now.size());
    now[static_cast<std::size_t>(change.index)] = change.status;
  }
  Tally count;
  for (const RecipientStatus status : now) {
    if (status == RecipientStatus::waiting) ++count.waiting;
    if (status == RecipientStatus::taken || status == RecipientStatus::delivered ||
        status == RecipientStatus::bounced)
      ++count.taken;
  }
  return count;
}

// The waiting recipients of a job that ends: refused, with the last word of the other side.
void refuse_waiting(const std::vector<Recipient>& before, const std::string& reply,
                    std::vector<RecipientResult>& changes) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const int index = static_cast<int>(i);
    const auto named = std::find_if(changes.begin(), changes.end(),
                                    [&](const RecipientResult& change) { return change.index == index; });
    const RecipientStatus status = named == changes.end() ? before[i].status : named->status;
    if (status != RecipientStatus::waiting) continue;
    if (named != changes.end()) {
      named->status = RecipientStatus::refused;
      if (named->reply.empty()) named->reply = reply;
    } else {
      changes.push_back({index, RecipientStatus::refused, reply});
    }
  }
}

void become(Decision& decision, const Job& job, JobEvent event) {
  const auto next = next_status(job.status, event);
  EILBOTE_ASSERT(next.has_value());
  decision.event = event;
  decision.status = *next;
}

// Ends the job: SENT when some recipient was taken after all, else FAILED.
void end(Decision& decision, const Job& job, const std::vector<Recipient>& recipients, DeadReason why,
         std::string reason) {
  refuse_waiting(recipients, decision.last_error, decision.recipients);
  const bool any_taken = tally(recipients, decision.recipients).taken > 0;
  become(decision, job, any_taken ? JobEvent::settle_sent : JobEvent::settle_failed);
  decision.partial = false;
  decision.delay.reset();
  if (any_taken) {
    decision.last_error.clear();  // the mail is sent; what the refused ones were told is on their own record
    decision.reason = "some recipients were taken, the others refused";
  } else {
    decision.dead_reason = why;
    decision.reason = std::move(reason);
  }
}

// Waits for another attempt. A NEXT_ON_ERROR job gives its turn to the next of its group.
void wait(Decision& decision, const Job& job, Duration delay, std::string reason) {
  const bool gives_up_turn = job.group_mode == GroupMode::NEXT_ON_ERROR;
  become(decision, job, gives_up_turn ? JobEvent::settle_block : JobEvent::settle_retry);
  decision.delay = delay;
  decision.reason = std::move(reason);
}

// A failed attempt that counts: used up, or another try later.
void count_failure(Decision& decision, const Job& job, const std::vector<Recipient>& recipients,
                   const DeliveryResult& result, const AttemptRules& rules, Random& random) {
  decision.retry_count = job.retry_count + 1;
  decision.deferrals = 0;
  decision.deferral = false;
  if (decision.retry_count >= job.attempts_max)
    return end(decision, job, recipients, DeadReason::MaxAttemptsExceeded, std::string(kAttemptsUsedUp));
  Duration delay = retry_delay(rules.policy, decision.retry_count, random);
  if (result.retry_after) delay = std::max(delay, *result.retry_after);
  wait(decision, job, delay, "attempt failed");
}

void defer(Decision& decision, const Job& job, const std::vector<Recipient>& recipients,
           const DeliveryResult& result, const AttemptRules& rules, Random& random) {
  if (job.deferrals + 1 > kDeferralsInARowMax)
    return count_failure(decision, job, recipients, result, rules, random);
  decision.deferrals = job.deferrals + 1;
  decision.deferral = true;
  const Duration asked = result.retry_after.value_or(std::chrono::seconds{30});
  wait(decision, job, std::clamp<Duration>(asked, std::chrono::seconds{1}, std::chrono::hours{12}),
       "deferred by the other side");
}

void hand_over(Decision& decision, const Job& job, const std::vector<Recipient>& recipients,
               const DeliveryResult& result, const AttemptRules& rules, Random& random) {
  const Tally now = tally(recipients, decision.recipients);
  if (now.waiting > 0 && !recipients.empty()) {
    decision.partial = now.taken > 0;
    return count_failure(decision, job, recipients, result, rules, random);
  }
  decision.deferrals = 0;
  decision.partial = false;
  if (!recipients.empty() && now.taken == 0) {
    decision.retry_count = job.retry_count + 1;
    decision.error_type = ErrorType::PERMANENT;
    return end(decision, job, recipients, DeadReason::PermanentFailure, "every recipient was refused");
  }
  become(decision, job, JobEvent::settle_sent);
  decision.last_error.clear();
  decision.error_type.reset();
  decision.reason = "handed over";
}

void uncertain(Decision& decision, const Job& job, const std::vector<Recipient>& recipients,
               const DeliveryResult& result, const AttemptRules& rules, Random& random) {
  if (rules.on_uncertain == OnUncertain::hold) {
    // Neither sent nor refused: a person decides, so the recipients keep waiting on record.
    decision.retry_count = job.retry_count + 1;
    become(decision, job, JobEvent::settle_failed);
    decision.dead_reason = DeadReason::Uncertain;
    decision.reason = "handed over, but the answer was lost; held for a person to decide";
    return;
  }
  count_failure(decision, job, recipients, result, rules, random);
  if (decision.delay) decision.delay = std::max(*decision.delay, rules.uncertain_delay);
}

ErrorType error_type_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::permanent:
      return ErrorType::PERMANENT;
    case Verdict::uncertain:
      return ErrorType::UNKNOWN;
    default:
      return ErrorType::TRANSIENT;
  }
}

}  // namespace

Decision after_attempt(const Job& job, const std::vector<Recipient>& recipients, const DeliveryResult& result,
                       const AttemptRules& rules, Random& random) {
  Decision decision{};
  decision.retry_count = job.retry_count;
  decision.attempts = job.attempts;
  decision.deferrals = job.deferrals;
  decision.partial = job.partial;
  if (result.verdict == Verdict::released) {
    // Nothing happened: the row goes back as it was, its last error included.
    become(decision, job, JobEvent::release);
    decision.last_error = job.last_error;
    decision.reason = "handed back";
    return decision;
  }
  decision.attempts = job.attempts + 1;
  decision.attempt_status = result.attempt_status;
  decision.error_type = result.error_type.value_or(error_type_of(result.verdict));
  decision.last_error = clean_peer_text(result.text, kErrorTextMax);
  decision.recipients = result.recipients;
  if (tally(recipients, decision.recipients).taken > 0) decision.partial = true;

  switch (result.verdict) {
    case Verdict::delivered:
      hand_over(decision, job, recipients, result, rules, random);
      break;
    case Verdict::deferred:
      defer(decision, job, recipients, result, rules, random);
      break;
    case Verdict::transient:
    case Verdict::route_fault:
      count_failure(decision, job, recipients, result, rules, random);
      break;
    case Verdict::permanent:
      decision.retry_count = job.retry_count + 1;
      end(decision, job, recipients, DeadReason::PermanentFailure, "refused for good");
      break;
    case Verdict::configuration:
      // Our own fault, not the mail's: it waits for a person, until it expires; or for what mends itself, behind the
      // breaker.
      wait(decision, job, result.retry_after.value_or(rules.configuration_delay),
           "the route's configuration is wrong");
      decision.deferral = true;
      decision.deferrals = std::min(job.deferrals + 1, kDeferralsInARowMax);
      break;
    case Verdict::uncertain:
      uncertain(decision, job, recipients, result, rules, random);
      break;
    case Verdict::released:
      break;
  }
  return decision;
}

}  // namespace eilbote
