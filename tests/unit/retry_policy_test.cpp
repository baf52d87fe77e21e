// Retry policies: whole schedules compared as lists, jitter within its bounds, and schedules as people write them.
#include "domain/retry_policy.h"

#include <gtest/gtest.h>

#include <random>

namespace eilbote::retry_policy_test {
namespace {

using namespace std::chrono_literals;
using Seconds = std::vector<std::int64_t>;

// The waits after failures 1 to `failures`, in seconds.
Seconds waits(const RetryPolicy& policy, int failures, std::uint64_t bits = 0) {
  FixedRandom random(bits);
  Seconds list;
  for (int n = 1; n <= failures; ++n)
    list.push_back(std::chrono::floor<std::chrono::seconds>(retry_delay(policy, n, random)).count());
  return list;
}

RetryPolicy exponential(std::chrono::seconds base, std::chrono::seconds max, double jitter) {
  RetryPolicy policy;
  policy.base = base;
  policy.max = max;
  policy.jitter = jitter;
  return policy;
}

RetryPolicy linear(std::chrono::seconds base, std::chrono::seconds max, double jitter) {
  RetryPolicy policy = exponential(base, max, jitter);
  policy.strategy = RetryStrategy::linear;
  return policy;
}

RetryPolicy scheduled(std::vector<std::chrono::seconds> steps) {
  RetryPolicy policy;
  policy.strategy = RetryStrategy::schedule;
  policy.attempts_max = 8;
  policy.schedule = std::move(steps);
  return policy;
}

RetryPolicy simple(RetryStrategy strategy, std::chrono::seconds delay = 30s) {
  RetryPolicy policy;
  policy.strategy = strategy;
  policy.delay = delay;
  return policy;
}

TEST(RetryPolicy, whole_schedules) {
  const Seconds standard{60, 300, 900, 3600, 10800, 21600, 43200, 86400};
  const struct {
    const char* name;
    RetryPolicy policy;
    int failures;
    Seconds want;
  } cases[] = {
      {"mail default without jitter", exponential(30s, 3600s, 0), 4, {60, 120, 240, 480}},
      {"it is capped",
       exponential(30s, 3600s, 0),
       10,
       {60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600}},
      {"cap that is no power", exponential(7s, 100s, 0), 6, {14, 28, 56, 100, 100, 100}},
      {"base above the cap", exponential(500s, 100s, 0), 3, {100, 100, 100}},
      {"one second", exponential(1s, 8s, 0), 5, {2, 4, 8, 8, 8}},
      {"linear", linear(30s, 3600s, 0), 5, {30, 60, 90, 120, 150}},
      {"linear, capped", linear(30s, 100s, 0), 5, {30, 60, 90, 100, 100}},
      {"linear, a cap that is a multiple", linear(30s, 90s, 0), 4, {30, 60, 90, 90}},
      {"linear, base above the cap", linear(500s, 100s, 0), 2, {100, 100}},
      {"linear, no base", linear(0s, 100s, 0), 2, {0, 0}},
      {"default schedule", scheduled(default_schedule()), 8, standard},
      {"an empty schedule is the default one", scheduled({}), 8, standard},
      {"the last step repeats", scheduled({60s, 300s}), 5, {60, 300, 300, 300, 300}},
      {"fixed", simple(RetryStrategy::fixed), 4, {30, 30, 30, 30}},
      {"fixed, own delay", simple(RetryStrategy::fixed, 7s), 3, {7, 7, 7}},
      {"immediate", simple(RetryStrategy::immediate), 3, {0, 0, 0}},
  };
  for (const auto& c : cases)
    EXPECT_EQ(waits(c.policy, c.failures), c.want) << c.name;
}

TEST(RetryPolicy, defaults_are_those_of_mail) {
  const RetryPolicy policy;
  EXPECT_EQ(policy.strategy, RetryStrategy::exponential);
  EXPECT_EQ(policy.attempts_max, 5);
  EXPECT_EQ(policy.base, 30s);
  EXPECT_EQ(policy.max, 3600s);
  EXPECT_DOUBLE_EQ(policy.jitter, 0.2);
}

TEST(RetryPolicy, no_count_overflows) {
  FixedRandom random(~0ULL);
  for (const int n : {1, 31, 32, 62, 63, 64, 100, 1'000'000, std::numeric_limits<int>::max()}) {
    EXPECT_EQ(retry_delay(exponential(604'800s, 604'800s, 0), n, random), 168h) << n;
    EXPECT_GT(retry_delay(exponential(1s, 604'800s, 1), n, random), 0s) << n;
    EXPECT_EQ(retry_delay(scheduled({1s, 2s}), n, random), n == 1 ? 1s : 2s) << n;
    EXPECT_EQ(retry_delay(linear(604'800s, 604'800s, 0), n, random), 168h) << n;
    EXPECT_EQ(retry_delay(linear(1s, 604'800s, 0), n, random), std::min<Duration>(n * 1s, 168h)) << n;
  }
  EXPECT_EQ(retry_delay(exponential(30s, 3600s, 0), 0, random), 60s) << "counted from 1";
  EXPECT_EQ(retry_delay(exponential(30s, 3600s, 0), -1, random), 60s);
  EXPECT_EQ(retry_delay(scheduled({5s}), 0, random), 5s);
  EXPECT_EQ(retry_delay(linear(30s, 3600s, 0), 0, random), 30s);
}

TEST(RetryPolicy, jitter_is_chosen_by_the_injected_draw) {
  // The lowest bit is the sign, the 53 highest the size.
  constexpr std::uint64_t kHalf = 1ULL << 63;
  const struct {
    const char* name;
    std::uint64_t bits;
    double jitter;
    Duration want;
  } cases[] = {
      {"nothing, downwards", 0, 0.2, 60s},         {"nothing, upwards", 1, 0.2, 60s},
      {"half of it, downwards", kHalf, 0.2, 54s},  {"half of it, upwards", kHalf | 1, 0.2, 66s},
      {"half of all, downwards", kHalf, 1.0, 30s}, {"half of all, upwards", kHalf | 1, 1.0, 90s},
      {"no jitter at all", ~0ULL, 0.0, 60s},
  };
  for (const auto& c : cases) {
    FixedRandom random(c.bits);
    EXPECT_EQ(retry_delay(exponential(30s, 3600s, c.jitter), 1, random), c.want) << c.name;
    EXPECT_EQ(retry_delay(linear(30s, 3600s, c.jitter), 2, random), c.want) << c.name << ", linear";
  }
}

class Seeded final : public Random {
 public:
  explicit Seeded(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() override { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

TEST(RetryPolicy, jitter_stays_within_its_bounds_and_uses_them) {
  Seeded random(20'261'115);
  for (const double jitter : {0.05, 0.2, 0.5, 1.0}) {
    for (int n = 1; n <= 8; ++n) {
      FixedRandom none(0);
      const Duration nominal = retry_delay(exponential(30s, 3600s, 0), n, none);
      const double low = static_cast<double>(nominal.count()) * (1 - jitter);
      const double high = static_cast<double>(nominal.count()) * (1 + jitter);
      double smallest = high, largest = low, sum = 0;
      constexpr int kDraws = 5'000;
      for (int i = 0; i < kDraws; ++i) {
        const auto wait =
            static_cast<double>(retry_delay(exponential(30s, 3600s, jitter), n, random).count());
        smallest = std::min(smallest, wait);
        largest = std::max(largest, wait);
        sum += wait;
      }
      ASSERT_GE(smallest, low - 1) << jitter << " after failure " << n;
      ASSERT_LE(largest, high) << jitter << " after failure " << n;
      const double width = high - low;
      EXPECT_LT(smallest, low + 0.02 * width);
      EXPECT_GT(largest, high - 0.02 * width);
      EXPECT_NEAR(sum / kDraws, static_cast<double>(nominal.count()), 0.03 * width);
    }
  }
}

TEST(Schedule, reads_default_and_lists) {
  EXPECT_EQ(parse_schedule("default").value(), default_schedule());
  EXPECT_EQ(parse_schedule("1m,5m,15m,1h,3h,6h,12h,24h").value(), default_schedule());
  EXPECT_EQ(parse_schedule("10").value(), std::vector<std::chrono::seconds>{10s});
  EXPECT_EQ(parse_schedule(" 1m , 5m ").value(), (std::vector<std::chrono::seconds>{60s, 300s}));
}

TEST(Schedule, refuses_empty_and_uneven_steps) {
  std::string long_list = "1s";
  for (int i = 0; i < 50; ++i)
    long_list += ",1s";
  for (const std::string& input :
       {std::string(""), std::string(","), std::string("1m,"), std::string(",1m"), std::string("1m,,5m"),
        std::string("1m;5m"), std::string("0s"), std::string("1500ms"), std::string("soon"),
        std::string("Default"), std::string("-1m"), long_list})
    EXPECT_FALSE(parse_schedule(input).has_value()) << input;
}

}  // namespace
}  // namespace eilbote::retry_policy_test
