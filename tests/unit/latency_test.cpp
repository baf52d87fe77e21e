// How long attempts took, from the buckets of a histogram: quantiles by a table, and the window of a minute.
#include "domain/latency.h"

#include <gtest/gtest.h>

namespace eilbote::latency_test {
namespace {

using namespace std::chrono_literals;

struct Case {
  const char* name;
  LatencyCounts counts;
  double q;
  std::optional<double> want;
};

const std::vector<double> kBounds{1, 2, 4};

TEST(Latency, quantiles_are_as_the_table_says) {
  const Case cases[] = {
      {"no buckets", {}, 0.5, std::nullopt},
      {"nothing in them", {kBounds, {0, 0, 0, 0}}, 0.5, std::nullopt},
      {"half of the first bucket", {kBounds, {10, 10, 10, 10}}, 0.5, 0.5},
      {"all of the first bucket", {kBounds, {10, 10, 10, 10}}, 1, 1},
      {"within the second", {kBounds, {5, 10, 10, 10}}, 0.75, 1.5},
      {"at the edge of two", {kBounds, {5, 10, 10, 10}}, 0.5, 1},
      {"an empty bucket between", {kBounds, {5, 5, 10, 10}}, 0.75, 3},
      {"beyond the last bound", {kBounds, {0, 0, 1, 10}}, 0.99, 4},
      {"one alone", {kBounds, {0, 1, 1, 1}}, 0.99, 1.99},
  };
  for (const Case& row : cases) {
    const auto got = latency_quantile(row.counts, row.q);
    ASSERT_EQ(got.has_value(), row.want.has_value()) << row.name;
    EXPECT_NEAR(got.value_or(0), row.want.value_or(0), 1e-9) << row.name;
  }
}

TEST(Latency, the_window_is_the_last_minute) {
  LatencyWindow window;
  const Clock::Steady start{1h};
  EXPECT_EQ(window.view().per_second, 0);
  window.note(start, {});
  EXPECT_FALSE(window.view().p50);
  // 60 slow ones in the first second, then ten fast ones a second.
  std::uint64_t fast = 0;
  for (int second = 1; second <= 90; ++second) {
    fast += 10;
    window.note(start + std::chrono::seconds{second}, {kBounds, {fast, fast, fast + 60, fast + 60}});
    if (second == 30) {
      EXPECT_NEAR(window.view().per_second, (300.0 + 60) / 30, 1e-9);
      EXPECT_GT(*window.view().p95, 2);
    }
  }
  const LatencyView view = window.view();
  EXPECT_NEAR(view.per_second, 10, 1e-9) << "the slow ones are older than a minute";
  EXPECT_NEAR(*view.p50, 0.5, 1e-9);
  EXPECT_NEAR(*view.p99, 0.99, 1e-9);
}

TEST(Latency, a_minute_without_attempts_says_nothing_of_them) {
  LatencyWindow window;
  const LatencyCounts counts{kBounds, {5, 6, 7, 8}};
  for (int second = 0; second < 5; ++second)
    window.note(Clock::Steady{std::chrono::seconds{second}}, counts);
  EXPECT_EQ(window.view().per_second, 0);
  EXPECT_FALSE(window.view().p50 || window.view().p95 || window.view().p99);
}

}  // namespace
}  // namespace eilbote::latency_test
