// Numbers for metrics; every count is bounded, so none grows with the history.
#include "store/queue_book.h"
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

QueueView queue(Reading& reading) {
  QueueBook book(stats(reading));
  std::size_t age = 0;
  for (const auto& [since, until] : queue_spans()) {
    Run run = reading.database.run(q::queue_ages);
    for (run.with(kCountExactMax + 1, reading.now - since, reading.now - until); run.row();)
      book.count(run.text(0), age, run.int8(1));
    ++age;
  }
  Run run = reading.database.run(q::queue_errors);
  while (run.row())
    book.failed(run.text(0), run.text(1), run.time_or_none(2));
  return book.take();
}

}  // namespace eilbote::sqlite
