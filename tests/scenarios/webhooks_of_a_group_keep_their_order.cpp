// Webhooks of one group go out one at a time, first starts in the order of (sequence, acceptance), whatever fails and
// whoever dies; a group that blocks on an error stays blocked until a person acts, and then goes on.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "support/job_api.h"
#include "support/scripted_http.h"
#include "support/test_scale.h"
#include "support/test_store.h"

namespace eilbote::test::webhooks_of_a_group_keep_their_order {
namespace {

SCENARIO_ON_EACH_STORE(WebhooksOfAGroup);

// An endpoint that watches the groups: who begins, who is still there, and in which order they first came. One of ten
// requests fails, one of a hundred hangs past its time, jobs marked as poison are refused for good.
class Watcher {
 public:
  const ScriptedHttp* endpoint = nullptr;  // tells whether a client that hung is gone

  HttpScene begin(const HttpSeen& request) {
    const std::lock_guard lock(mutex_);
    const std::string& group = request.headers.at("x-group");
    const std::string& job = request.headers.at("webhook-id");
    auto& inside = inside_[group];
    std::erase_if(inside, [&](const auto& other) { return endpoint->is_gone(other.second); });
    if (!inside.empty()) overlaps_.insert(group);
    inside[job] = request.connection;
    if (known_.insert(job).second) first_[group].push_back(std::stoi(request.headers.at("x-place")));
    if (request.headers.contains("x-poison") && poisonous_) return {.answer = http_answer(400, "no")};
    const auto dice = random_() % 100;
    if (dice == 0) return {.answer = "", .then = HttpScene::Then::silence};
    if (dice <= 10) return {.answer = http_answer(500, "not now")};
    return {.before_answer = std::chrono::milliseconds{static_cast<int>(random_() % 4)}};
  }
  void end(const HttpSeen& request) {
    const std::lock_guard lock(mutex_);
    auto& inside = inside_[request.headers.at("x-group")];
    const auto it = inside.find(request.headers.at("webhook-id"));
    if (it != inside.end() && it->second == request.connection) inside.erase(it);
  }
  void cure() {
    const std::lock_guard lock(mutex_);
    poisonous_ = false;
  }
  std::map<std::string, std::vector<int>> first_starts() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }
  std::set<std::string> overlaps() const {
    const std::lock_guard lock(mutex_);
    return overlaps_;
  }
  std::size_t started(const std::string& group) const {
    const std::lock_guard lock(mutex_);
    const auto it = first_.find(group);
    return it == first_.end() ? 0 : it->second.size();
  }

 private:
  mutable std::mutex mutex_;
  std::mt19937 random_{20261116};
  bool poisonous_ = true;
  std::map<std::string, std::map<std::string, int>> inside_;  // group -> job -> its connection
  std::set<std::string> known_, overlaps_;
  std::map<std::string, std::vector<int>> first_;
};

constexpr int kPoisonEvery = 10;  // every tenth group blocks on its third job

// The jobs of all groups, in an order that is not that of their sequences; place is the rank they must start in.
void hand_in(const JobApi& api, const std::string& url, int groups, int each) {
  for (int n = 0; n < each; ++n) {
    std::string batch = "[";
    for (int g = 0; g < groups; ++g) {
      const int place =
          (n % 2 == 0) ? n : each - (each % 2 == 0 ? 0 : 1) - n;  // even ranks upwards, odd ones downwards
      const bool blocks = g % 2 == 0;
      const bool poison = g % kPoisonEvery == 0 && place == 2;
      batch +=
          (g > 0 ? "," : "") +
          job_json(
              url,
              R"(,"retryStrategy":"immediate","maxRetries":100,"timeoutSeconds":1,"dispatchPoolId":"line",)"
              R"("mode":")" +
                  std::string(blocks ? "BLOCK_ON_ERROR" : "NEXT_ON_ERROR") + R"(","messageGroup":"g)" +
                  std::to_string(g) + R"(","sequence":)" + std::to_string(place) +
                  R"(,"headers":{"X-Group":"g)" + std::to_string(g) + R"(","X-Place":")" +
                  std::to_string(place) + "\"" + (poison ? R"(,"X-Poison":"1")" : "") + "}");
    }
    const json::value answer = api.post("/dispatch-jobs/batch", batch + "]");
    for (const json::value& result : answer.at("results").as_array())
      ASSERT_EQ(number_at(result, "/status"), 201) << json::serialize(result);
  }
}

TEST_P(WebhooksOfAGroup, keep_their_order_through_failures_and_kill_9) {
  const int groups = scaled(200, 20), each = scaled(50, 6), kills = on_postgres() ? 4 : 2;
  Watcher watcher;
  ScriptedHttp endpoint({.decide = [&](const HttpSeen& request) { return watcher.begin(request); },
                         .over = [&](const HttpSeen& request) { watcher.end(request); }});
  watcher.endpoint = &endpoint;
  const Settings settings{{"EILBOTE_LEASE_SECONDS", "2"}};
  std::vector<std::unique_ptr<EilboteProcess>> servers;
  servers.push_back(start_server(settings, "a"));
  const JobApi api(*servers[0]);
  api.post("/dispatch-pools", R"({"code":"line","name":"Line","concurrency":64})");
  api.post("/dispatch-pools/line/suspend");
  hand_in(api, endpoint.url(), groups, each);
  ASSERT_FALSE(HasFatalFailure());
  // Only now: an instance hears of a suspension within a second, and would begin before the last of a group is handed in.
  for (const char* name : {"b", "c"})
    if (on_postgres()) servers.push_back(start_server(settings, name));
  api.post("/dispatch-pools/line/activate");

  for (int n = 0; n < kills; ++n) {
    EilboteProcess& victim = *servers[on_postgres() ? 1 + n % 2 : 0];
    const std::size_t before = watcher.started("g1");
    eventually([&] { return watcher.started("g1") > before; }, std::chrono::seconds{20});
    victim.kill_hard();
    victim.start();
  }
  const std::size_t all = static_cast<std::size_t>(each);
  ASSERT_TRUE(eventually(
      [&] {
        for (int g = 0; g < groups; ++g)
          if (g % kPoisonEvery != 0 && watcher.started("g" + std::to_string(g)) < all) return false;
        return true;
      },
      std::chrono::seconds{240}));
  // Those with a poisoned job are blocked by it, and stay so.
  const int poisoned = (groups + kPoisonEvery - 1) / kPoisonEvery;
  ASSERT_TRUE(eventually([&] {
    return MailApi(*servers[0]).read("/message-groups?blocked=true").at("data").as_array().size() ==
           static_cast<std::size_t>(poisoned);
  }));
  for (int g = 0; g < groups; g += kPoisonEvery)
    EXPECT_EQ(watcher.started("g" + std::to_string(g)), 3U)
        << g << ": " << json::serialize(MailApi(*servers[0]).read("/message-groups?blocked=true"));
  // A person sends the first again and skips the others.
  watcher.cure();
  api.post("/message-groups/retry", R"({"group":"g0","clientId":"local"})");
  for (int g = kPoisonEvery; g < groups; g += kPoisonEvery)
    api.post("/message-groups/skip", R"({"clientId":"local","group":"g)" + std::to_string(g) + R"("})");
  EXPECT_TRUE(eventually(
      [&] {
        for (int g = 0; g < groups; g += kPoisonEvery)
          if (watcher.started("g" + std::to_string(g)) < all) return false;
        return true;
      },
      std::chrono::seconds{120}));
  EXPECT_TRUE(watcher.overlaps().empty()) << *watcher.overlaps().begin();
  for (const auto& [group, places] : watcher.first_starts())
    EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << group;
}

}  // namespace
}  // namespace eilbote::test::webhooks_of_a_group_keep_their_order
