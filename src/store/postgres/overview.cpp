// What the overview needs, on PostgreSQL; shares the outbox's connections.
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"
#include "store/queue_book.h"
#include "store/standing_book.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Array dead_reasons() {
  Array reasons(Type::text);
  for (const auto& [reason, text] : kDeadReasonNames.entries)
    reasons.add(text);
  return reasons;
}

Result<void> add_flow(Connection& connection, const FlowCounts& counts) {
  Params params;
  params.add(counts.accepted).add(counts.delivered).add(counts.failed).add(counts.retried);
  if (auto done = connection.run(q::add_flow, std::move(params)); !done) return fail(done.error());
  return {};
}

Result<std::vector<FlowMinute>> flow(Connection& connection, Duration back) {
  auto rows = connection.run(q::find_flow, std::move(Params().add(back)));
  if (!rows) return fail(rows.error());
  std::vector<FlowMinute> minutes;
  for (const Row row : *rows)
    minutes.push_back({row.time(0), read_flow(row, 1)});
  return minutes;
}

Result<StandingLoad> standing(Connection& connection) {
  const auto counted = stats(connection);
  if (!counted) return fail(counted.error());
  Calls calls;
  const auto [since, until] = any_age();
  calls.push_back({&q::queue_ages, std::move(Params().add(kCountExactMax + 1).add(since).add(until))});
  calls.push_back({&q::queue_errors, {}});
  calls.push_back({&q::dead_counts, std::move(Params().add(kCountExactMax + 1).add(dead_reasons()))});
  calls.push_back({&q::dead_lately, std::move(Params().add(kCountExactMax + 1).add(kFlowShown))});
  calls.push_back({&q::count_blocked_groups, std::move(Params().add(kCountExactMax + 1))});
  calls.push_back({&q::live_instances, {}});
  calls.push_back({&q::sum_flow, std::move(Params().add(kFlowShown))});
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  StandingBook book(*counted);
  for (const Row row : (*answers)[0])
    book.due(row.text(0), row.int8(1));
  for (const Row row : (*answers)[1])
    book.failed(row.text(0), row.text(1), row.time_or_none(2));
  for (const Row row : (*answers)[2])
    book.dead(row.text(0), row.int8(1));
  StandingLoad& load = book.load();
  load.dead.lately = (*answers)[3][0].int8(0);
  load.blocked_groups = (*answers)[4][0].int8(0);
  load.instances = (*answers)[5][0].int4(0);
  load.delivering = (*answers)[5][0].int4(1);
  load.now = (*answers)[5][0].time(2);
  load.totals = read_flow((*answers)[6][0], 0);
  return std::move(load);
}

Result<std::int64_t> waiting_for(Connection& connection, ChannelKind channel, const std::string& route) {
  Params params;
  params.add(kCountExactMax + 1).add(kChannelNames.text(channel)).add(route);
  auto rows = connection.run(q::route_depth, std::move(params));
  if (!rows) return fail(rows.error());
  return (*rows)[0].int8(0);
}

class PostgresOverview final : public OverviewBook {
 public:
  explicit PostgresOverview(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<void> add_flow(const FlowCounts& counts) override {
    return pool_->with_connection([&](Connection& c) { return postgres::add_flow(c, counts); });
  }
  Result<std::vector<FlowMinute>> flow(Duration back) override {
    return pool_->with_connection([&](Connection& c) { return postgres::flow(c, back); });
  }
  Result<StandingLoad> standing() override {
    return pool_->with_connection([&](Connection& c) { return postgres::standing(c); });
  }
  Result<std::int64_t> waiting_for(ChannelKind channel, const std::string& route) override {
    return pool_->with_connection([&](Connection& c) { return postgres::waiting_for(c, channel, route); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<OverviewBook> make_overview(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresOverview>(std::move(pool));
}

}  // namespace eilbote::postgres
