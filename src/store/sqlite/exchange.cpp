// Settling and claiming. Both are guarded: a settlement by the lease's token, a claim by status and due time.
#include <algorithm>
#include <limits>

#include "base/utf8.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/rows.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr std::size_t kLastErrorCharactersMax = 1000;

void write_attempt(Session& session, const Settlement& settlement) {
  const Attempt& attempt = *settlement.attempt;
  std::optional<std::string_view> verdict, error_type;
  if (attempt.verdict) verdict = kVerdictNames.text(*attempt.verdict);
  if (attempt.error_type) error_type = kErrorTypeNames.text(*attempt.error_type);
  session.database.run(q::insert_attempts)
      .with(settlement.id, settlement.token, attempt.number, attempt.attempted_at, attempt.completed_at,
            static_cast<std::int64_t>(attempt.duration.count()), kAttemptStatusNames.text(attempt.status),
            attempt.route, attempt.code, verdict, attempt.smtp_code, attempt.enhanced_code,
            attempt.response_code, attempt.error_message, error_type, attempt.deferral,
            settlement.provider_message_id)
      .done();
}

// Changes the row if the token is its own; the job's group goes into `groups`.
bool settle_row(Session& session, const Settlement& settlement, Groups& groups) {
  const Decision& decision = settlement.decision;
  std::optional<TimePoint> due, finished;
  if (decision.delay) due = session.now + *decision.delay;
  if (is_final(decision.status)) finished = session.now;
  std::optional<std::string_view> dead_reason, last_error;
  if (decision.dead_reason) dead_reason = kDeadReasonNames.text(*decision.dead_reason);
  if (!decision.last_error.empty()) last_error = utf8_prefix(decision.last_error, kLastErrorCharactersMax);
  Run run = session.database.run(q::settle);
  run.with(settlement.id, settlement.token, kJobStatusNames.text(decision.status), decision.retry_count,
           decision.attempts, decision.deferrals, decision.partial, due, dead_reason, last_error, session.now,
           finished, settlement.attempt.has_value());
  if (!run.row()) return false;
  if (!run.is_null(0)) groups.insert(run.integer(0));
  return true;
}

SettleOutcome settle(Session& session, const Settlement& settlement, Groups& groups) {
  if (!settle_row(session, settlement, groups)) {
    const bool mine = session.database.run(q::find_attempts).with(settlement.id, settlement.token).row();
    return mine ? SettleOutcome::settled_before : SettleOutcome::stale;
  }
  if (settlement.attempt) write_attempt(session, settlement);
  if (settlement.event) write_event(session, settlement.id, *settlement.event);
  for (const RecipientResult& result : settlement.decision.recipients)
    write_recipient(session, settlement.id, result.index, result.status, result.reply);
  return SettleOutcome::settled;
}

// Reads the rows a claim answers, in the order in which they became due.
void take_claimed(Session& session, Run& run, LeaseToken token, std::vector<ClaimedJob>& claimed) {
  const std::size_t before = claimed.size();
  while (run.row()) {
    ClaimedJob job{job_of(run), LaneId{run.small(kLane)}, token, !run.is_null(kGroup)};
    claimed.push_back(std::move(job));
  }
  std::sort(claimed.begin() + static_cast<std::ptrdiff_t>(before), claimed.end(),
            [](const ClaimedJob& a, const ClaimedJob& b) {
              return std::tie(a.job.next_attempt_at, a.job.id) < std::tie(b.job.next_attempt_at, b.job.id);
            });
  for (std::size_t i = before; i < claimed.size(); ++i) {
    const Lane* lane = session.directory.find(session.database, claimed[i].lane);
    if (lane == nullptr) continue;
    claimed[i].job.client = lane->client;
    claimed[i].job.pool = lane->pool;
  }
}

void claim_lane(Session& session, const ClaimLane& lane, LeaseToken token, std::vector<ClaimedJob>& claimed) {
  if (lane.n <= 0) return;
  const TimePoint low = lane.low_water.value_or(TimePoint::min());
  Run run = session.database.run(q::claim_due);
  run.with(lane.lane, low, session.now, lane.n, token);
  take_claimed(session, run, token, claimed);
}

}  // namespace

ExchangeResult exchange(Session& session, const ExchangeRequest& request) {
  ExchangeResult result;
  result.now = session.now;
  result.settled.reserve(request.settlements.size());
  Groups groups;
  for (const Settlement& settlement : request.settlements)
    result.settled.push_back(settle(session, settlement, groups));
  result.woken = promote(session, groups);
  for (const ClaimLane& lane : request.lanes)
    claim_lane(session, lane, request.token, result.claimed);
  if (request.claim_one) {
    Run run = session.database.run(q::claim_one);
    run.with(*request.claim_one, session.now, request.token);
    take_claimed(session, run, request.token, result.claimed);
  }
  return result;
}

}  // namespace eilbote::sqlite
