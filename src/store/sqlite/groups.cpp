// Turns in groups. The writer is alone, so a turn is given without a lock.
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

std::vector<LaneId> promote(Session& session, const Groups& groups) {
  std::vector<LaneId> lanes;
  for (const std::int64_t group : groups) {
    Run run = session.database.run(sql::sqlite::promote_groups);
    if (run.with(group, session.now).row()) lanes.emplace_back(run.int4(1));
  }
  return lanes;
}

}  // namespace eilbote::sqlite
