// The wish for due jobs of some lanes, as parameters of a statement that claims by lane: claim_due and claim_publish take the same.
#pragma once

#include <span>

#include "ports/outbox.h"
#include "store/postgres/connection.h"

namespace eilbote::postgres {

// Adds nothing when nothing is wished for.
inline void add_claim_lanes_call(Calls& calls, const sql::Text& statement, std::span<const ClaimLane> lanes,
                                 LeaseToken token) {
  Array lane(Type::int4), n(Type::int4), low(Type::timestamptz);
  for (const ClaimLane& wish : lanes) {
    if (wish.n <= 0) continue;
    lane.add(wish.lane.value());
    n.add(static_cast<std::int32_t>(wish.n));
    low.add(wish.low_water.value_or(TimePoint::min()));
  }
  if (lane.size() == 0) return;
  Params params;
  params.add(std::move(lane)).add(std::move(n)).add(std::move(low)).add(token.value());
  calls.push_back({&statement, std::move(params)});
}

}  // namespace eilbote::postgres
