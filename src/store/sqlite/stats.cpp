// Numbers for metrics; every count is bounded, so none grows with the history.
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

OutboxStats stats(Reading& reading) {
  OutboxStats answer;
  answer.now = reading.now;
  {
    Run run = reading.database.run(q::pool_depth);
    for (run.with(kCountExactMax + 1, reading.now); run.row();)
      answer.pools.push_back({std::string(run.text(0)), run.int8(1), run.time_or_none(2)});
  }
  Run retries = reading.database.run(q::retries_due);
  if (retries.with(reading.now, kCountExactMax).row()) answer.retries_due = retries.int8(0);
  return answer;
}

}  // namespace eilbote::sqlite
