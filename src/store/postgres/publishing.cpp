// The publish book on PostgreSQL; shares the outbox's connections. A round is one round trip: its marks, its claim and its
// commit go out together.
#include "ports/publish_book.h"

#include "store/postgres/claim_lanes.h"
#include "store/postgres/connection_pool.h"
#include "store/postgres/postgres_store.h"
#include "store/publish_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

void add_mark_call(Calls& calls, const std::vector<PublishMark>& marks) {
  if (marks.empty()) return;
  Array id(Type::int8), token(Type::int8), published(Type::boolean), delay(Type::int8);
  for (const PublishMark& mark : marks) {
    id.add(mark.id.value());
    token.add(mark.token.value());
    published.add(mark.published);
    mark.delay > Duration{0} ? delay.add(static_cast<std::int64_t>(mark.delay.count())) : delay.add_null();
  }
  Params params;
  params.add(std::move(id)).add(std::move(token)).add(std::move(published)).add(std::move(delay));
  calls.push_back({&q::mark_published, std::move(params)});
}

Result<PublishResult> publish_round(Connection& connection, const PublishRequest& request) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  add_mark_call(calls, request.marks);
  const std::size_t claim_at = calls.size();
  add_claim_lanes_call(calls, q::claim_publish, request.lanes, request.token);
  const std::size_t now_at = calls.size();
  calls.push_back({&q::transaction_now, {}});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());

  PublishResult result;
  result.now = (*done)[now_at][0].time(0);
  if (claim_at != now_at)
    for (const Row row : (*done)[claim_at])
      result.claimed.push_back(read_publish_claim(row, request.token));
  sort_claims(result.claimed);
  return result;
}

Result<int> release_unheld(Connection& connection, Epoch epoch, std::span<const JobId> held) {
  const LeaseTokens tokens = tokens_of(epoch);
  auto freed = connection.run(q::release_publishing,
                              std::move(Params().add(tokens.first).add(tokens.last).add(int8_array(held))));
  if (!freed) return fail(freed.error());
  return freed->affected();
}

Result<void> pause_lanes(Connection& connection, std::span<const LaneId> lanes, Duration pause) {
  Array ids(Type::int4);
  for (const LaneId lane : lanes)
    ids.add(lane.value());
  auto paused = connection.run(q::pause_lanes, std::move(Params().add(std::move(ids)).add(pause)));
  if (!paused) return fail(paused.error());
  return {};
}

Result<std::vector<PausedLane>> paused_lanes(Connection& connection) {
  auto rows = connection.run(q::paused_lanes);
  if (!rows) return fail(rows.error());
  std::vector<PausedLane> paused;
  for (const Row row : *rows)
    paused.push_back(read_paused(row));
  return paused;
}

Result<std::vector<DeadLetter>> untold_dead(Connection& connection, int rows_max) {
  auto rows = connection.run(q::untold_dead, std::move(Params().add(rows_max)));
  if (!rows) return fail(rows.error());
  std::vector<DeadLetter> letters;
  for (const Row row : *rows)
    letters.push_back(read_dead_letter(row));
  return letters;
}

Result<void> told_dead(Connection& connection, std::span<const DeadLetter> letters) {
  Array id(Type::int8), died_at(Type::timestamptz);
  for (const DeadLetter& letter : letters) {
    id.add(letter.id.value());
    died_at.add(letter.failed_at);
  }
  auto told = connection.run(q::told_dead, std::move(Params().add(std::move(id)).add(std::move(died_at))));
  if (!told) return fail(told.error());
  return {};
}

class PostgresPublishing final : public PublishBook {
 public:
  explicit PostgresPublishing(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<PublishResult> publish_round(const PublishRequest& request) override {
    return pool_->with_connection([&](Connection& c) { return postgres::publish_round(c, request); });
  }
  Result<int> release_unheld(Epoch epoch, std::span<const JobId> held) override {
    return pool_->with_connection([&](Connection& c) { return postgres::release_unheld(c, epoch, held); });
  }
  Result<void> pause_lanes(std::span<const LaneId> lanes, Duration pause) override {
    if (lanes.empty()) return {};
    return pool_->with_connection([&](Connection& c) { return postgres::pause_lanes(c, lanes, pause); });
  }
  Result<std::vector<PausedLane>> paused_lanes() override {
    return pool_->with_connection([&](Connection& c) { return postgres::paused_lanes(c); });
  }
  Result<std::vector<DeadLetter>> untold_dead(int rows_max) override {
    return pool_->with_connection([&](Connection& c) { return postgres::untold_dead(c, rows_max); });
  }
  Result<void> told_dead(std::span<const DeadLetter> letters) override {
    if (letters.empty()) return {};
    return pool_->with_connection([&](Connection& c) { return postgres::told_dead(c, letters); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<PublishBook> make_publishing(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresPublishing>(std::move(pool));
}

}  // namespace eilbote::postgres
