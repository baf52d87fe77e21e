// A pool's rate, burst and concurrency hold over all instances together, also while the one that keeps count is killed.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::a_pools_limits_hold_over_all_instances {
namespace {

SCENARIO_ON_POSTGRES(APoolsLimits);

constexpr int kPerSecond = 10, kBurst = 10, kConcurrency = 4;

// Counts who is there at once, and when each came.
class Counter {
 public:
  HttpScene begin(const HttpSeen&) {
    const std::lock_guard lock(mutex_);
    came_.push_back(std::chrono::steady_clock::now());
    most_ = std::max(most_, ++inside_);
    return {.before_answer = std::chrono::milliseconds{50}};
  }
  void end(const HttpSeen&) {
    const std::lock_guard lock(mutex_);
    --inside_;
  }
  int most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }
  std::vector<std::chrono::steady_clock::time_point> came() const {
    const std::lock_guard lock(mutex_);
    return came_;
  }

 private:
  mutable std::mutex mutex_;
  int inside_ = 0, most_ = 0;
  std::vector<std::chrono::steady_clock::time_point> came_;
};

TEST_P(APoolsLimits, hold_over_three_instances_and_a_kill) {
  const int jobs = scaled(150, 60);
  Counter counter;
  ScriptedHttp endpoint({.decide = [&](const HttpSeen& request) { return counter.begin(request); },
                         .over = [&](const HttpSeen& request) { counter.end(request); }});
  const Settings settings{{"EILBOTE_LEASE_SECONDS", "2"}};
  const auto a = start_server(settings, "a"), b = start_server(settings, "b"),
             c = start_server(settings, "c");
  const JobApi api(*b);
  api.post("/dispatch-pools",
           R"({"code":"narrow","name":"Narrow","rateLimitPerMinute":600,"burst":10,"concurrency":4})");
  std::string batch = "[";
  for (int i = 0; i < jobs; ++i)
    batch += (i > 0 ? "," : "") + job_json(endpoint.url(), R"(,"dispatchPoolId":"narrow")");
  api.post("/dispatch-jobs/batch", batch + "]");
  ASSERT_TRUE(eventually([&] { return counter.came().size() >= static_cast<std::size_t>(jobs) / 3; }));
  a->kill_hard();  // the first to come is the home, unless it was slow
  a->start();
  ASSERT_TRUE(eventually([&] { return counter.came().size() >= static_cast<std::size_t>(jobs); },
                         std::chrono::seconds{90}));
  EXPECT_LE(counter.most(), kConcurrency);
  // No stretch of time sees more than its share of the rate and one burst; requests take a moment to arrive.
  const auto came = counter.came();
  for (std::size_t from = 0; from < came.size(); ++from) {
    for (std::size_t to = from + kBurst + 2; to < came.size(); to += 7) {
      const double seconds = std::chrono::duration<double>(came[to] - came[from]).count();
      EXPECT_LE(static_cast<double>(to - from + 1), kBurst + kPerSecond * (seconds + 0.5) + 1)
          << "from " << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace eilbote::test::a_pools_limits_hold_over_all_instances
