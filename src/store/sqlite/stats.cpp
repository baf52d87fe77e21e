// Numbers for metrics; every count is bounded, so none grows with the history.
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr std::int64_t kDepthMax = 10'001;
constexpr std::int64_t kRetriesMax = 10'000;

void add_lane(Reading& reading, std::int64_t lane, PoolStats& pool) {
  if (pool.depth < kDepthMax) {
    Run depth = reading.database.run(q::lane_depth);
    if (depth.with(lane, kDepthMax - pool.depth).row()) pool.depth += depth.integer(0);
  }
  Run oldest = reading.database.run(q::lane_oldest);
  if (!oldest.with(lane, reading.now).row() || oldest.is_null(0)) return;
  pool.oldest = std::min(pool.oldest.value_or(TimePoint::max()), oldest.time(0));
}

}  // namespace

OutboxStats stats(Reading& reading) {
  OutboxStats answer;
  answer.now = reading.now;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> lanes_of_pool;
  for (Run run = reading.database.run(q::find_lanes); run.row();)
    lanes_of_pool[run.integer(1)].push_back(run.integer(0));
  std::vector<std::int64_t> pool_ids;
  for (Run run = reading.database.run(q::find_pools); run.row();) {
    pool_ids.push_back(run.integer(0));
    answer.pools.push_back({std::string(run.text(1)), 0, {}});
  }
  for (std::size_t i = 0; i < pool_ids.size(); ++i)
    for (const std::int64_t lane : lanes_of_pool[pool_ids[i]])
      add_lane(reading, lane, answer.pools[i]);
  Run retries = reading.database.run(q::retries_due);
  if (retries.with(reading.now, kRetriesMax).row()) answer.retries_due = retries.integer(0);
  return answer;
}

}  // namespace eilbote::sqlite
