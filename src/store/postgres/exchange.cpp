// Settling and claiming. Settling is two round trips (what matched decides what goes on record), claiming
// rides with the second; one commit for all of it.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/utf8.h"
#include "domain/acts.h"
#include "store/postgres/claim_lanes.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/operations.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;
using Settlements = std::span<const Settlement* const>;

Call settle_call(Settlements settlements) {
  Array id(Type::int8), token(Type::int8), status(Type::text), retries(Type::int4), attempts(Type::int4),
      deferrals(Type::int4), partial(Type::boolean), delay(Type::int8), dead(Type::text), error(Type::text),
      recorded(Type::boolean);
  for (const Settlement* settlement : settlements) {
    const Decision& decision = settlement->decision;
    id.add(settlement->id.value());
    token.add(settlement->token.value());
    status.add(kJobStatusNames.text(decision.status));
    retries.add(decision.retry_count);
    attempts.add(decision.attempts);
    deferrals.add(decision.deferrals);
    partial.add(decision.partial);
    decision.delay ? delay.add(static_cast<std::int64_t>(decision.delay->count())) : delay.add_null();
    decision.dead_reason ? dead.add(kDeadReasonNames.text(*decision.dead_reason)) : dead.add_null();
    error.add_or_null(utf8_prefix(decision.last_error, kErrorTextMax));
    recorded.add(settlement->attempt.has_value());
  }
  Params params;
  for (Array* array :
       {&id, &token, &status, &retries, &attempts, &deferrals, &partial, &delay, &dead, &error, &recorded})
    params.add(std::move(*array));
  return {&q::settle, std::move(params)};
}

void add_attempts_call(Calls& calls, Settlements settlements) {
  Array job(Type::int8), token(Type::int8), number(Type::int4), started(Type::timestamptz),
      completed(Type::timestamptz), duration(Type::int8), status(Type::text), route(Type::text),
      code(Type::text), verdict(Type::text), smtp(Type::int4), enhanced(Type::text), response(Type::int4),
      message(Type::text), type(Type::text), deferral(Type::boolean), provider(Type::text), body(Type::text),
      diagnostic(Type::text);
  for (const Settlement* settlement : settlements) {
    if (!settlement->attempt) continue;
    const Attempt& attempt = *settlement->attempt;
    job.add(settlement->id.value());
    token.add(settlement->token.value());
    number.add(attempt.number);
    started.add(attempt.attempted_at);
    completed.add(attempt.completed_at);
    duration.add(static_cast<std::int64_t>(attempt.duration.count()));
    status.add(kAttemptStatusNames.text(attempt.status));
    route.add(attempt.route);
    code.add(attempt.code);
    attempt.verdict ? verdict.add(kVerdictNames.text(*attempt.verdict)) : verdict.add_null();
    smtp.add(attempt.smtp_code);
    enhanced.add(attempt.enhanced_code);
    response.add(attempt.response_code);
    message.add(attempt.error_message);
    attempt.error_type ? type.add(kErrorTypeNames.text(*attempt.error_type)) : type.add_null();
    deferral.add(attempt.deferral);
    provider.add(settlement->provider_message_id);
    body.add(attempt.response_body);
    diagnostic.add(attempt.diagnostic);
  }
  if (job.size() == 0) return;
  Params params;
  for (Array* array :
       {&job, &token, &number, &started, &completed, &duration, &status, &route, &code, &verdict, &smtp,
        &enhanced, &response, &message, &type, &deferral, &provider, &body, &diagnostic})
    params.add(std::move(*array));
  calls.push_back({&q::insert_attempts, std::move(params)});
}

void add_recipients_call(Calls& calls, Settlements settlements) {
  Array job(Type::int8), n(Type::int4), status(Type::text), reply(Type::text);
  for (const Settlement* settlement : settlements) {
    for (const RecipientResult& result : settlement->decision.recipients) {
      job.add(settlement->id.value());
      n.add(static_cast<std::int32_t>(result.index));
      status.add(kRecipientStatusNames.text(result.status));
      reply.add(result.reply);
    }
  }
  if (job.size() == 0) return;
  Params params;
  for (Array* array : {&job, &n, &status, &reply})
    params.add(std::move(*array));
  calls.push_back({&q::upsert_recipients, std::move(params)});
}

// What the settle statement matched, and what follows from it.
class Settling {
 public:
  Settling(Settlements all, const Rows& matched) : all_(all) {
    std::map<std::pair<std::int64_t, std::int64_t>, Changed> found;
    for (const Row row : matched) {
      const bool cancelled = kJobStatusNames.parse(row.text(3)) == JobStatus::cancelled;
      found.emplace(std::pair(row.int8(0), row.int8(1)), Changed{cancelled, row.boolean(4)});
      if (!row.is_null(2)) groups_.insert(row.int8(2));
    }
    for (const Settlement* settlement : all) {
      // Two settlements of one job differ in their token, and at most one of them is right.
      const auto changed = found.find({settlement->id.value(), settlement->token.value()});
      (changed != found.end() ? written_ : missed_).push_back(settlement);
      if (changed != found.end()) add_event(*settlement, changed->second);
    }
  }

  const std::set<std::int64_t>& groups() const { return groups_; }

  // Once.
  void add_record_calls(Calls& calls) {
    add_attempts_call(calls, written_);
    std::move(events_).write(calls);
    add_recipients_call(calls, written_);
    std::vector<JobId> sent;
    for (const Settlement* settlement : written_)
      if (may_be_reported(settlement->decision)) sent.push_back(settlement->id);
    if (!sent.empty()) calls.push_back(report_sent_call(sent));
  }
  bool missed_some() const { return !missed_.empty(); }
  Call find_missed_call() const {
    Array job(Type::int8), token(Type::int8);
    for (const Settlement* settlement : missed_) {
      job.add(settlement->id.value());
      token.add(settlement->token.value());
    }
    Params params;
    params.add(std::move(job)).add(std::move(token));
    return {&q::find_attempts, std::move(params)};
  }
  // `on_record`: the answer to find_missed_call; null when nothing was missed.
  std::vector<SettleOutcome> outcomes(const Rows* on_record) const {
    std::set<std::pair<std::int64_t, std::int64_t>> before;
    if (on_record != nullptr)
      for (const Row row : *on_record)
        before.emplace(row.int8(0), row.int8(1));
    std::unordered_set<const Settlement*> missed(missed_.begin(), missed_.end());
    std::vector<SettleOutcome> out;
    out.reserve(all_.size());
    for (const Settlement* settlement : all_) {
      if (!missed.contains(settlement))
        out.push_back(SettleOutcome::settled);
      else if (before.contains({settlement->id.value(), settlement->token.value()}))
        out.push_back(SettleOutcome::settled_before);
      else
        out.push_back(SettleOutcome::stale);
    }
    return out;
  }

 private:
  struct Changed {
    bool cancelled;  // by somebody meanwhile: it waits no longer
    bool callback;   // waits for its changes
  };
  void add_event(const Settlement& settlement, const Changed& changed) {
    if (changed.cancelled)
      events_.add(settlement.id.value(), event_of_stop(settlement.event), changed.callback);
    else if (settlement.event)
      events_.add(settlement.id.value(), *settlement.event, changed.callback);
  }

  Settlements all_;
  std::vector<const Settlement*> written_, missed_;
  EventRows events_;
  std::set<std::int64_t> groups_;
};

// Offers may wait for a row (claim_offered.sql), so they go before the claims, which would be held meanwhile. Settled rows are
// held: they are leased for delivery, and nobody who holds a row that is not waits for one that is. A scheduler does not wait
// for rows that somebody has started (mark_published.sql), an act holds one row and then asks for blocked ones only, and two
// exchanges ask for offers in the order of ids.
void add_offers_call(Calls& calls, const ExchangeRequest& request) {
  if (request.offers.empty()) return;
  Array id(Type::int8), attempt(Type::int4);
  for (const OfferedJob& offer : request.offers) {
    id.add(offer.id.value());
    offer.attempt ? attempt.add(static_cast<std::int32_t>(*offer.attempt)) : attempt.add_null();
  }
  Params params;
  params.add(std::move(id)).add(std::move(attempt)).add(request.token.value());
  calls.push_back({&q::claim_offered, std::move(params)});
}

void add_claim_calls(Calls& calls, const ExchangeRequest& request) {
  add_offers_call(calls, request);
  if (request.claim_one)
    calls.push_back(
        {&q::claim_one, std::move(Params().add(request.claim_one->value()).add(request.token.value()))});
  add_claim_lanes_call(calls, q::claim_due, request.lanes, request.token);
}

// The claim is committed by now; a lane this instance has not seen is read on the way.
Result<void> take_claimed(Connection& connection, Directory& directory, const Rows& rows, LeaseToken token,
                          std::vector<ClaimedJob>& claimed) {
  if (auto known = directory.know_lanes(connection, rows); !known)
    return fail(ErrorKind::ambiguous, known.error().message);
  for (const Row row : rows) {
    ClaimedJob job = read_claimed(row, token);
    if (const auto lane = directory.lane(job.lane)) name_job(job.job, *lane);
    claimed.push_back(std::move(job));
  }
  return {};
}

}  // namespace

Result<SettleResult> settle_grouped(Connection& connection, Settlements settlements) {
  std::vector<JobId> ids;
  for (const Settlement* settlement : settlements)
    ids.push_back(settlement->id);
  Calls first;
  first.push_back({&q::begin_transaction, {}});
  first.push_back({&q::lock_groups_of, std::move(Params().add(int8_array(ids)))});
  first.push_back(settle_call(settlements));
  auto matched = connection.run(first);
  if (!matched) return fail(matched.error());

  Settling settling(settlements, matched->back());
  Calls second;
  if (settling.missed_some()) second.push_back(settling.find_missed_call());
  settling.add_record_calls(second);
  const std::size_t promote_at = second.size();
  second.push_back({&q::promote_groups, std::move(Params().add(int8_array(settling.groups())))});
  second.push_back({&q::commit_transaction, {}});
  auto done = connection.run(second);
  if (!done) return fail(done.error());
  SettleResult result{settling.outcomes(settling.missed_some() ? &done->front() : nullptr), {}};
  for (const Row row : (*done)[promote_at])
    result.woken.push_back(LaneId{row.int4(1)});
  return result;
}

Result<ExchangeResult> settle_and_claim(Connection& connection, Directory& directory, Settlements settlements,
                                        const ExchangeRequest& request) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  std::optional<Settling> settling;
  if (!settlements.empty()) {
    calls.push_back(settle_call(settlements));
    auto matched = connection.run(calls);
    if (!matched) return fail(matched.error());
    calls.clear();
    settling.emplace(settlements, matched->back());
    if (settling->missed_some()) calls.push_back(settling->find_missed_call());
    settling->add_record_calls(calls);
  }
  const std::size_t claims_from = calls.size();
  add_claim_calls(calls, request);
  const std::size_t claims_to = calls.size();
  calls.push_back({&q::transaction_now, {}});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());

  ExchangeResult result;
  if (settling) result.settled = settling->outcomes(settling->missed_some() ? &done->front() : nullptr);
  result.now = (*done)[claims_to][0].time(0);
  for (std::size_t i = claims_from; i < claims_to; ++i) {
    auto read = take_claimed(connection, directory, (*done)[i], request.token, result.claimed);
    if (!read) return fail(read.error());
  }
  std::ranges::sort(result.claimed, {}, [](const ClaimedJob& claimed) {
    return std::tuple(claimed.lane, claimed.job.next_attempt_at, claimed.job.id);
  });
  return result;
}

}  // namespace eilbote::postgres
