// Retry policies. Called by after_attempt (the wait after a failure) and by config and api (the texts).
// All arithmetic saturates: no retry count, however large, can overflow into a short wait.
#include "domain/retry_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/duration.h"
#include "domain/mail_limits.h"

namespace eilbote {
namespace {

using std::chrono::seconds;

// min(base * 2^n, max) without ever computing a number larger than max.
seconds doubled(seconds base, int n, seconds max) {
  if (base <= seconds{0}) return seconds{0};
  seconds value = std::min(base, max);
  for (int i = 0; i < n && value < max; ++i)
    value = value > max / 2 ? max : value * 2;
  return std::min(value, max);
}

// min(base * n, max), just as carefully.
seconds times(seconds base, int n, seconds max) {
  if (base <= seconds{0}) return seconds{0};
  return n > max / base ? max : base * n;
}

// One draw decides both: the lowest bit is the sign, the 53 highest are the size.
Duration jittered(Duration nominal, double jitter, Random& random) {
  if (jitter <= 0.0) return nominal;
  const std::uint64_t bits = random.bits();
  const double part = std::min(jitter, 1.0) * static_cast<double>(bits >> 11) * 0x1.0p-53;
  const double factor = (bits & 1) != 0 ? 1.0 + part : 1.0 - part;
  return Duration{static_cast<std::int64_t>(static_cast<double>(nominal.count()) * factor)};
}

}  // namespace

std::vector<seconds> default_schedule() {
  return {kDefaultSchedule.begin(), kDefaultSchedule.end()};
}

Duration retry_delay(const RetryPolicy& policy, int retry_count, Random& random) {
  const int n = std::max(retry_count, 1);
  switch (policy.strategy) {
    case RetryStrategy::exponential:
      return jittered(doubled(policy.base, n, policy.max), policy.jitter, random);
    case RetryStrategy::linear:
      return jittered(times(policy.base, n, policy.max), policy.jitter, random);
    case RetryStrategy::schedule: {
      const auto standard = default_schedule();
      const auto& steps = policy.schedule.empty() ? standard : policy.schedule;
      return steps[std::min(static_cast<std::size_t>(n), steps.size()) - 1];
    }
    case RetryStrategy::fixed:
      return policy.delay;
    case RetryStrategy::immediate:
      return Duration{0};
  }
  return Duration{0};
}

Result<std::vector<seconds>> parse_schedule(std::string_view text) {
  if (trimmed(text) == "default") return default_schedule();
  std::vector<seconds> steps;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto step = parse_duration(trimmed(text.substr(0, comma)));
    if (!step || *step < seconds{1} || *step % seconds{1} != Duration{0})
      return fail(ErrorKind::invalid, "must be \"default\" or a list of whole seconds such as 1m,5m,15m,1h");
    steps.push_back(std::chrono::duration_cast<seconds>(*step));
    if (steps.size() > kRetryScheduleMax)
      return fail(ErrorKind::invalid, fmt::format("must have at most {} entries", kRetryScheduleMax));
    if (comma == std::string_view::npos) return steps;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace eilbote
