// How long to wait after a failed attempt, and how many there may be. Pure: randomness is handed in.
#pragma once

#include <array>
#include <chrono>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/names.h"

namespace eilbote {

struct RetryPolicy {
  RetryStrategy strategy = RetryStrategy::exponential;
  int attempts_max = 5;
  std::chrono::seconds base{30};                 // exponential, linear
  std::chrono::seconds max{3600};                // exponential, linear
  double jitter = 0.2;                           // exponential, linear; 0 is deterministic
  std::vector<std::chrono::seconds> schedule{};  // schedule
  std::chrono::seconds delay{30};                // fixed

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// The waits of `default`: 1m,5m,15m,1h,3h,6h,12h,24h. Whoever goes by it without saying more makes as many attempts.
inline constexpr std::array<std::chrono::seconds, 8> kDefaultSchedule{
    std::chrono::minutes{1}, std::chrono::minutes{5}, std::chrono::minutes{15}, std::chrono::hours{1},
    std::chrono::hours{3},   std::chrono::hours{6},   std::chrono::hours{12},   std::chrono::hours{24}};
inline constexpr int kDefaultScheduleAttempts = static_cast<int>(kDefaultSchedule.size());
std::vector<std::chrono::seconds> default_schedule();

// The wait after the `retry_count`-th failure (counted from 1).
// exponential: min(base * 2^n, max) * (1 ± jitter * rand()); linear: base * n in place of base * 2^n.
Duration retry_delay(const RetryPolicy& policy, int retry_count, Random& random);

// "1m,5m,15m" or "default".
Result<std::vector<std::chrono::seconds>> parse_schedule(std::string_view text);

}  // namespace eilbote
