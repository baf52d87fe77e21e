// Numbers for metrics; every count is bounded, so none grows with the history.
#include "store/postgres/operations.h"
#include "store/queue_book.h"

namespace eilbote::postgres {

namespace q = sql::postgres;

Result<OutboxStats> stats(Connection& connection) {
  Calls calls;
  calls.push_back({&q::pool_depth, std::move(Params().add(kCountExactMax + 1))});
  calls.push_back({&q::retries_due, std::move(Params().add(kCountExactMax))});
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  OutboxStats stats;
  for (const Row row : (*answers)[0])
    stats.pools.push_back({std::string(row.text(0)), row.int8(1), row.time_or_none(2)});
  stats.retries_due = (*answers)[1][0].int8(0);
  stats.now = (*answers)[1][0].time(1);
  return stats;
}

Result<QueueView> queue(Connection& connection) {
  const auto counted = stats(connection);
  if (!counted) return fail(counted.error());
  Calls calls;
  for (const auto& [since, until] : queue_spans())
    calls.push_back({&q::queue_ages, std::move(Params().add(kCountExactMax + 1).add(since).add(until))});
  calls.push_back({&q::queue_errors, {}});
  auto answers = connection.run(calls);
  if (!answers) return fail(answers.error());
  QueueBook book(*counted);
  for (std::size_t age = 0; age <= kQueueAges.size(); ++age)
    for (const Row row : (*answers)[age])
      book.count(row.text(0), age, row.int8(1));
  for (const Row row : answers->back())
    book.failed(row.text(0), row.text(1), row.time_or_none(2));
  return book.take();
}

}  // namespace eilbote::postgres
