// Settling and claiming. Both are guarded: a settlement by the lease's token, a claim by status and due time.
#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/utf8.h"
#include "domain/acts.h"
#include "store/row_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// Settlements as rows for the statements, and what came of them.
class Settling {
 public:
  Settling(Session& session, const std::vector<Settlement>& settlements)
      : session_(session), settlements_(settlements) {}

  // One outcome per settlement, in their order; groups whose turn may have ended go into `groups`.
  std::vector<SettleOutcome> run(Groups& groups) {
    std::vector<SettleOutcome> outcomes(settlements_.size(), SettleOutcome::stale);
    std::vector<std::size_t> left(settlements_.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    // A job may be named twice, by a lease that was lost and by the one taken after it; each gets a round of
    // its own.
    while (!left.empty()) {
      const std::vector<std::size_t> round = take_distinct(left);
      const std::unordered_map<JobId, Changed> changed = settle_rows(round, groups);
      for (const std::size_t i : round) {
        const auto now = changed.find(settlements_[i].id);
        if (now == changed.end()) continue;
        add_records(settlements_[i], now->second);
        outcomes[i] = SettleOutcome::settled;
      }
    }
    insert(q::insert_attempts, attempts_);
    insert(q::insert_events, events_);
    insert(q::upsert_recipients, recipients_);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (outcomes[i] == SettleOutcome::settled && may_be_reported(settlements_[i].decision))
        report_sent(session_, settlements_[i].id);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      if (outcomes[i] == SettleOutcome::stale && is_on_record(settlements_[i]))
        outcomes[i] = SettleOutcome::settled_before;
    return outcomes;
  }

 private:
  struct Changed {
    JobStatus now;
    bool callback;  // waits for its changes
  };

  // Moves the first of each job out of `left`.
  std::vector<std::size_t> take_distinct(std::vector<std::size_t>& left) const {
    std::unordered_set<JobId> named;
    std::vector<std::size_t> round, later;
    for (const std::size_t i : left)
      (named.insert(settlements_[i].id).second ? round : later).push_back(i);
    left = std::move(later);
    return round;
  }

  // Changes the rows whose token is their own; answers which, and what they are now.
  std::unordered_map<JobId, Changed> settle_rows(const std::vector<std::size_t>& round, Groups& groups) {
    GivenRows rows;
    for (const std::size_t i : round)
      add_row(settlements_[i], rows);
    std::unordered_map<JobId, Changed> changed;
    Run run = session_.database.run(q::settle);
    for (run.with(rows, session_.now); run.row();) {
      const JobStatus now = kJobStatusNames.parse(run.text(2)).value_or(JobStatus::queued);
      changed.emplace(JobId{run.int8(0)}, Changed{now, run.int8(3) != 0});
      if (!run.is_null(1)) groups.insert(run.int8(1));
    }
    return changed;
  }

  void add_row(const Settlement& settlement, GivenRows& rows) const {
    const Decision& decision = settlement.decision;
    std::optional<TimePoint> due, finished;
    if (decision.delay) due = session_.now + *decision.delay;
    if (is_final(decision.status)) finished = session_.now;
    std::optional<std::string_view> dead_reason, last_error;
    if (decision.dead_reason) dead_reason = kDeadReasonNames.text(*decision.dead_reason);
    if (!decision.last_error.empty()) last_error = utf8_prefix(decision.last_error, kErrorTextMax);
    rows.add(settlement.id, settlement.token, kJobStatusNames.text(decision.status), decision.retry_count,
             decision.attempts, decision.deferrals, decision.partial, due, dead_reason, last_error, finished,
             settlement.attempt.has_value());
  }

  void add_records(const Settlement& settlement, const Changed& changed) {
    if (settlement.attempt) add_attempt(settlement, *settlement.attempt);
    if (changed.now == JobStatus::cancelled)  // somebody cancelled it meanwhile
      add_event(settlement.id, stops_.emplace_back(event_of_stop(settlement.event)), changed.callback);
    else if (settlement.event)
      add_event(settlement.id, *settlement.event, changed.callback);
    for (const RecipientResult& result : settlement.decision.recipients)
      recipients_.add(settlement.id, result.index, kRecipientStatusNames.text(result.status), result.reply,
                      session_.now);
  }

  // The event must live until it is written.
  void add_event(JobId id, const StatusEvent& event, bool callback) {
    events_.add(id, session_.now, event.from, event.to, event.reason, event.actor, event.trace_id, callback);
  }

  void add_attempt(const Settlement& settlement, const Attempt& attempt) {
    std::optional<std::string_view> verdict, error_type;
    if (attempt.verdict) verdict = kVerdictNames.text(*attempt.verdict);
    if (attempt.error_type) error_type = kErrorTypeNames.text(*attempt.error_type);
    attempts_.add(settlement.id, settlement.token, attempt.number, attempt.attempted_at, attempt.completed_at,
                  static_cast<std::int64_t>(attempt.duration.count()),
                  kAttemptStatusNames.text(attempt.status), attempt.route, attempt.code, verdict,
                  attempt.smtp_code, attempt.enhanced_code, attempt.response_code, attempt.error_message,
                  error_type, attempt.deferral, settlement.provider_message_id, attempt.response_body,
                  attempt.diagnostic);
  }

  bool is_on_record(const Settlement& settlement) {
    return session_.database.run(q::find_attempts).with(settlement.id, settlement.token).row();
  }

  void insert(const sql::Text& statement, const GivenRows& rows) {
    if (!rows.empty()) session_.database.run(statement).with(rows).done();
  }

  Session& session_;
  const std::vector<Settlement>& settlements_;
  GivenRows attempts_, events_, recipients_;
  std::deque<StatusEvent> stops_;
};

// Reads the rows a claim answers.
void take_claimed(Session& session, Run& run, LeaseToken token, std::vector<ClaimedJob>& claimed) {
  const std::size_t before = claimed.size();
  while (run.row())
    claimed.push_back(read_claimed(run, token));
  for (std::size_t i = before; i < claimed.size(); ++i)
    if (const Lane* lane = session.directory.find(session.database, claimed[i].lane))
      name_job(claimed[i].job, *lane);
}

void claim_lane(Session& session, const ClaimLane& lane, LeaseToken token, std::vector<ClaimedJob>& claimed) {
  if (lane.n <= 0) return;
  const TimePoint low = lane.low_water.value_or(TimePoint::min());
  Run run = session.database.run(q::claim_due);
  run.with(lane.lane, low, session.now, lane.n, token);
  take_claimed(session, run, token, claimed);
}

void claim_offered(Session& session, const ExchangeRequest& request, std::vector<ClaimedJob>& claimed) {
  if (request.offers.empty()) return;
  GivenRows offers;
  for (const OfferedJob& offer : request.offers)
    offers.add(offer.id, offer.attempt);
  Run run = session.database.run(q::claim_offered);
  run.with(offers, session.now, request.token);
  take_claimed(session, run, request.token, claimed);
}

}  // namespace

ExchangeResult exchange(Session& session, const ExchangeRequest& request) {
  ExchangeResult result;
  result.now = session.now;
  Groups groups;
  result.settled = Settling(session, request.settlements).run(groups);
  result.woken = promote(session, groups);
  claim_offered(session, request, result.claimed);
  for (const ClaimLane& lane : request.lanes)
    claim_lane(session, lane, request.token, result.claimed);
  if (request.claim_one) {
    Run run = session.database.run(q::claim_one);
    run.with(*request.claim_one, session.now, request.token);
    take_claimed(session, run, request.token, result.claimed);
  }
  std::ranges::sort(result.claimed, {}, [](const ClaimedJob& claimed) {
    return std::tuple(claimed.lane, claimed.job.next_attempt_at, claimed.job.id);
  });
  return result;
}

}  // namespace eilbote::sqlite
