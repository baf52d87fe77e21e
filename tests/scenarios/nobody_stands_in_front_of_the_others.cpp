// In one pool, a client with very many jobs and a host that is dead do not stand in front of the others.
#include <gtest/gtest.h>

#include "support/job_api.h"
#include "support/loopback_listener.h"
#include "support/scripted_http.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::nobody_stands_in_front_of_the_others {
namespace {

SCENARIO_ON_EACH_STORE(Nobody);

void hand_in(const JobApi& api, int jobs, const std::string& job) {
  for (int done = 0; done < jobs; done += 1000) {
    std::string batch = "[";
    for (int i = 0; i < std::min(1000, jobs - done); ++i)
      batch += (i > 0 ? "," : "") + job;
    api.post("/dispatch-jobs/batch", batch + "]");
  }
}

std::size_t count_of(const ScriptedHttp& endpoint, const std::string& header, const std::string& value) {
  std::size_t count = 0;
  for (const HttpSeen& seen : endpoint.seen())
    count += seen.headers.contains(header) && seen.headers.at(header) == value ? 1 : 0;
  return count;
}

TEST_P(Nobody, waits_behind_a_client_with_very_many_jobs) {
  // Slow enough that the many take far longer than the few may wait.
  ScriptedHttp endpoint(
      {.decide = [](const HttpSeen&) { return HttpScene{.before_answer = std::chrono::milliseconds{20}}; }});
  const auto server = start_server();
  const JobApi api(*server);
  api.post("/dispatch-pools", R"({"code":"shared","name":"Shared","concurrency":8})");
  const auto job = [&](const std::string& client) {
    return job_json(endpoint.url(), R"(,"dispatchPoolId":"shared","clientId":")" + client +
                                        R"(","headers":{"X-Client":")" + client + R"("})");
  };
  hand_in(api, scaled(100'000, 5'000), job("a"));
  ASSERT_TRUE(eventually([&] { return count_of(endpoint, "x-client", "a") > 20; }));
  const auto began = std::chrono::steady_clock::now();
  hand_in(api, 10, job("b"));
  ASSERT_TRUE(eventually([&] { return count_of(endpoint, "x-client", "b") == 10; }));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{2});
}

TEST_P(Nobody, waits_behind_a_dead_host) {
  ScriptedHttp endpoint;
  std::uint16_t dead = 0;
  {
    const LoopbackListener nobody;  // a port that was free a moment ago
    dead = nobody.port();
  }
  const auto server = start_server();
  const JobApi api(*server);
  hand_in(api, scaled(100'000, 5'000), job_json("http://127.0.0.1:" + std::to_string(dead) + "/hook"));
  const auto began = std::chrono::steady_clock::now();
  hand_in(api, 500, job_json(endpoint.url()));
  ASSERT_TRUE(eventually([&] { return endpoint.seen().size() == 500; }));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{5});
  // Its breaker is open: people see why.
  EXPECT_TRUE(eventually([&] {
    return json::serialize(MailApi(*server).read("/breakers")).find(std::to_string(dead)) !=
           std::string::npos;
  }));
}

}  // namespace
}  // namespace eilbote::test::nobody_stands_in_front_of_the_others
