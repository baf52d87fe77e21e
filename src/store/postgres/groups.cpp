// Turns in groups. Others take them too, so a turn is given under the groups' locks, which everybody takes in one order.
#include <algorithm>

#include "store/postgres/operations.h"

namespace eilbote::postgres {

namespace q = sql::postgres;

Result<std::vector<LaneId>> promote(Connection& connection, std::vector<std::int64_t> groups) {
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::lock_groups, std::move(Params().add(int8_array(groups)))});
  calls.push_back({&q::promote_groups, std::move(Params().add(int8_array(groups)))});
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());
  std::vector<LaneId> lanes;
  for (const Row row : (*done)[2])
    lanes.push_back(LaneId{row.int4(1)});
  return lanes;
}

}  // namespace eilbote::postgres
