// Settling and claiming: one round trip and one commit for all of it, or two round trips where something follows from what was
// settled.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "store/postgres/claim_lanes.h"
#include "store/postgres/operations.h"
#include "store/postgres/settle_rows.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;
using Settlements = std::span<const Settlement* const>;

Call settle_call(Settlements settlements) {
  SettleRows rows;
  for (const Settlement* settlement : settlements)
    rows.add(*settlement);
  return std::move(rows).call();
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

bool has_follow_up(const Settlement& settlement) {
  return !settlement.decision.recipients.empty();
}

// What the settle statement matched, and what follows from it.
class Settling {
 public:
  Settling(Settlements all, const Rows& matched) : all_(all) {
    std::set<std::pair<std::int64_t, std::int64_t>> found;
    for (const Row row : matched) {
      found.emplace(row.int8(0), row.int8(1));
      if (!row.is_null(2)) groups_.insert(row.int8(2));
    }
    // Two settlements of one job differ in their token, and at most one of them is right.
    for (const Settlement* settlement : all)
      (found.contains({settlement->id.value(), settlement->token.value()}) ? written_ : missed_)
          .push_back(settlement);
  }

  const std::set<std::int64_t>& groups() const { return groups_; }

  void add_follow_up_calls(Calls& calls) const {
    add_recipients_call(calls, written_);
    std::vector<JobId> sent;
    for (const Settlement* settlement : written_)
      if (may_be_reported(settlement->decision)) sent.push_back(settlement->id);
    if (!sent.empty()) calls.push_back(report_sent_call(sent));
  }

  // Once it is committed. Who matched nothing may have been settled before, by a commit whose answer was lost.
  Result<std::vector<SettleOutcome>> outcomes(Connection& connection) const {
    std::vector<SettleOutcome> out(all_.size(), SettleOutcome::settled);
    if (missed_.empty()) return out;
    auto on_record = connection.run(q::find_attempts, missed_leases());
    // The caller asks again, and is told that what was settled now was settled before.
    if (!on_record) return fail(ErrorKind::ambiguous, on_record.error().message);
    std::set<std::pair<std::int64_t, std::int64_t>> before;
    for (const Row row : *on_record)
      before.emplace(row.int8(0), row.int8(1));
    const std::unordered_set<const Settlement*> missed(missed_.begin(), missed_.end());
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (missed.contains(all_[i]))
        out[i] = before.contains({all_[i]->id.value(), all_[i]->token.value()})
                     ? SettleOutcome::settled_before
                     : SettleOutcome::stale;
    return out;
  }

 private:
  Params missed_leases() const {
    Array job(Type::int8), token(Type::int8);
    for (const Settlement* settlement : missed_) {
      job.add(settlement->id.value());
      token.add(settlement->token.value());
    }
    return std::move(Params().add(std::move(job)).add(std::move(token)));
  }

  Settlements all_;
  std::vector<const Settlement*> written_, missed_;
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

  const Settling settling(settlements, matched->back());
  Calls second;
  settling.add_follow_up_calls(second);
  const std::size_t promote_at = second.size();
  second.push_back({&q::promote_groups, std::move(Params().add(int8_array(settling.groups())))});
  second.push_back({&q::commit_transaction, {}});
  auto done = connection.run(second);
  if (!done) return fail(done.error());
  auto outcomes = settling.outcomes(connection);
  if (!outcomes) return fail(outcomes.error());
  SettleResult result{std::move(*outcomes), {}};
  for (const Row row : (*done)[promote_at])
    result.woken.push_back(LaneId{row.int4(1)});
  return result;
}

Result<ExchangeResult> settle_and_claim(Connection& connection, Directory& directory, Settlements settlements,
                                        const ExchangeRequest& request) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  std::optional<Settling> settling;
  std::optional<std::size_t> settled_at;
  if (!settlements.empty()) {
    calls.push_back(settle_call(settlements));
    // What follows depends on what was settled. Where nothing does, all of it is one round trip.
    if (std::ranges::any_of(settlements, has_follow_up,
                            [](const Settlement* s) -> const Settlement& { return *s; })) {
      auto matched = connection.run(calls);
      if (!matched) return fail(matched.error());
      calls.clear();
      settling.emplace(settlements, matched->back());
      settling->add_follow_up_calls(calls);
    } else {
      settled_at = calls.size() - 1;
    }
  }
  const std::size_t claims_from = calls.size();
  add_claim_calls(calls, request);
  const std::size_t claims_to = calls.size();
  calls.push_back({&q::transaction_now, {}});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());

  ExchangeResult result;
  if (settled_at) settling.emplace(settlements, (*done)[*settled_at]);
  if (settling) {
    auto outcomes = settling->outcomes(connection);
    if (!outcomes) return fail(outcomes.error());
    result.settled = std::move(*outcomes);
  }
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
