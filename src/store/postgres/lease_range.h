// All tokens of one epoch: what an index range scan over outbox_leased needs.
#pragma once

#include "domain/ids.h"

namespace eilbote::postgres {

struct LeaseRange {
  explicit LeaseRange(Epoch epoch)
      : first(static_cast<std::int64_t>(epoch.value()) << 32), last(first | 0xFFFF'FFFFLL) {}
  std::int64_t first;
  std::int64_t last;
};

}  // namespace eilbote::postgres
