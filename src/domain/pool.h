// A pool: a named lane with a rate and a concurrency limit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/fault.h"
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

  friend bool operator==(const Pool&, const Pool&) = default;
};

// The pools that are always there, and that jobs are in which name none.
inline constexpr std::string_view kMailPool = "mail";
inline constexpr std::string_view kWebhookPool = "webhook";

inline constexpr std::size_t kPoolCodeMax = 64;
inline constexpr std::size_t kPoolNameMax = 100;  // characters
inline constexpr int kPoolRateMax = 1'000'000;
inline constexpr int kPoolBurstMax = 100'000;
inline constexpr int kPoolConcurrencyMax = 10'000;

// What waits in a pool, or behind a blocked group, is counted exactly up to here; where it says so, one more stands for
// "more".
inline constexpr int kCountExactMax = 10'000;

// A letter a-z or a digit, then also '.', '_' and '-'; at most kPoolCodeMax.
bool is_pool_code(std::string_view text);

// All faults at once; empty when people may have the pool so.
std::vector<Fault> check_pool(const Pool& pool);

}  // namespace eilbote
