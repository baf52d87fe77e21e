// A pool: a named lane with a rate and a concurrency limit.
#pragma once

#include <optional>
#include <string>

#include "domain/names.h"

namespace eilbote {

struct Pool {
  std::string code;
  std::string name;
  std::optional<int> rate_limit_per_minute;  // absent: unlimited
  int burst = 1;                             // how many may start at once when the pool was idle
  int concurrency = 256;                     // deliveries open at once
  bool limited =
      false;  // rate or concurrency were set by people: exact over all instances, so one home at a time
  PoolStatus status = PoolStatus::ACTIVE;
};

}  // namespace eilbote
