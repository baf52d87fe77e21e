// Numbers for metrics; every count is bounded, so none grows with the history.
#include "store/postgres/operations.h"

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

}  // namespace eilbote::postgres
