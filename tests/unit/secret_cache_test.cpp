// The cache in front of a store: who asks it, how often, and what is served while it is away.
#include "secrets/secret_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "support/eventually.h"

namespace eilbote::secret_cache_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Answers what the test says; can be held up.
class FakeStore final : public SecretStore {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::string value = "first";
    std::optional<SecretTrouble> trouble;
    bool is_held = false;
    int asked = 0;

    void set(const std::string& text) {
      const std::lock_guard lock(mutex);
      value = text;
      trouble.reset();
    }
    void break_it(Duration come_back = {}) {
      const std::lock_guard lock(mutex);
      trouble = SecretTrouble{{ErrorKind::unavailable, "away"}, come_back};
    }
    void hold(bool held) {
      const std::lock_guard lock(mutex);
      is_held = held;
      changed.notify_all();
    }
    int count() {
      const std::lock_guard lock(mutex);
      return asked;
    }
  };
  explicit FakeStore(State& state) : state_(state) {}
  FromStore<Secret> fetch(std::string_view place) override {
    std::unique_lock lock(state_.mutex);
    ++state_.asked;
    state_.changed.notify_all();
    state_.changed.wait(lock, [this] { return !state_.is_held; });
    EXPECT_TRUE(place.ends_with("#b")) << place;
    if (state_.trouble) return tl::unexpected(*state_.trouble);
    return Secret(state_.value);
  }

 private:
  State& state_;
};

class SecretCacheTest : public testing::Test {
 protected:
  SecretCache& cache() {
    if (!cache_) cache_.emplace("vault", std::make_unique<FakeStore>(store_), rules_, &metrics_);
    return *cache_;
  }
  std::string resolve() {
    const auto secret = cache().resolve("vault://a#b");
    return secret ? secret->reveal() : "error: " + secret.error().message;
  }
  std::string renew() {
    std::promise<std::string> told;
    cache().renew("vault://a#b", [&](const Result<Secret>& secret) {
      told.set_value(secret ? secret->reveal() : "error: " + secret.error().message);
    });
    return told.get_future().get();
  }

  FakeStore::State store_;
  SecretCacheRules rules_;
  Metrics metrics_;
  std::optional<SecretCache> cache_;
};

TEST_F(SecretCacheTest, asks_once) {
  EXPECT_EQ(resolve(), "first");
  store_.set("second");
  EXPECT_EQ(resolve(), "first");
  EXPECT_EQ(cache().at_hand("vault://a#b").value()->reveal(), "first");
  EXPECT_EQ(store_.count(), 1);
}

TEST_F(SecretCacheTest, never_waits_when_asked_not_to) {
  store_.hold(true);
  EXPECT_FALSE(cache().at_hand("vault://a#b"));
  EXPECT_FALSE(cache().at_hand("vault://a#b"));
  EXPECT_TRUE(test::eventually([&] { return store_.count() == 1; }));
  store_.hold(false);
  EXPECT_TRUE(test::eventually([&] { return cache().at_hand("vault://a#b").has_value(); }));
  EXPECT_EQ(store_.count(), 1);
}

TEST_F(SecretCacheTest, looks_again_before_the_end_in_the_background) {
  rules_.ttl = 300ms;
  EXPECT_EQ(resolve(), "first");
  store_.set("second");
  EXPECT_TRUE(test::eventually([&] { return resolve() == "second"; }));
}

TEST_F(SecretCacheTest, looks_afresh_when_the_secret_was_refused) {
  rules_.pause_min = 1ms;
  EXPECT_EQ(resolve(), "first");
  store_.set("second");
  EXPECT_EQ(renew(), "second");
  EXPECT_EQ(resolve(), "second");
}

TEST_F(SecretCacheTest, a_look_that_began_before_does_not_count_as_afresh) {
  rules_.pause_min = 1ms;
  store_.hold(true);
  EXPECT_FALSE(cache().at_hand("vault://a#b"));
  EXPECT_TRUE(test::eventually([&] { return store_.count() == 1; }));
  std::promise<std::string> told;
  cache().renew("vault://a#b", [&](const Result<Secret>& secret) { told.set_value(secret->reveal()); });
  store_.set("second");
  store_.hold(false);
  EXPECT_EQ(told.get_future().get(), "second");
  EXPECT_EQ(store_.count(), 2);
}

TEST_F(SecretCacheTest, many_that_were_refused_make_few_questions) {
  rules_.pause_min = 50ms;
  EXPECT_EQ(resolve(), "first");
  std::atomic<int> told{0};
  for (int i = 0; i < 1'000; ++i)
    cache().renew("vault://a#b", [&](const Result<Secret>&) { ++told; });
  EXPECT_TRUE(test::eventually([&] { return told == 1'000; }));
  EXPECT_LE(store_.count(), 4);
}

TEST_F(SecretCacheTest, serves_the_last_value_while_the_store_is_away_and_counts_it) {
  rules_.ttl = 20ms;
  EXPECT_EQ(resolve(), "first");
  store_.break_it();
  EXPECT_TRUE(test::eventually([&] {
    return metrics_.render().find(R"(eilbote_secrets_stale{scheme="vault"} 1)") != std::string::npos;
  }));
  EXPECT_EQ(resolve(), "first");
  EXPECT_THAT(metrics_.render(), HasSubstr(R"(outcome="stale")"));
  store_.set("second");
  EXPECT_TRUE(test::eventually([&] { return resolve() == "second"; }));
}

TEST_F(SecretCacheTest, but_not_for_ever) {
  rules_.ttl = 20ms;
  rules_.stale_max = 50ms;
  EXPECT_EQ(resolve(), "first");
  store_.break_it();
  EXPECT_TRUE(test::eventually([&] { return resolve() == "error: secret vault://a#b: away"; }));
}

TEST_F(SecretCacheTest, a_store_that_asks_for_a_pause_gets_it) {
  store_.break_it(1h);
  EXPECT_THAT(resolve(), HasSubstr("away"));
  store_.set("second");
  EXPECT_THAT(resolve(), HasSubstr("away"));
  EXPECT_THAT(renew(), HasSubstr("away"));
  EXPECT_EQ(store_.count(), 1);
}

TEST_F(SecretCacheTest, what_nobody_asks_for_is_not_kept_fresh) {
  rules_.ttl = 10ms;
  rules_.idle_max = 30ms;
  EXPECT_EQ(resolve(), "first");
  int before = -1;
  EXPECT_TRUE(test::eventually([&] { return before == std::exchange(before, store_.count()); }, 30s, 100ms));
}

TEST_F(SecretCacheTest, keeps_so_many_and_forgets_what_was_used_longest_ago) {
  rules_.entries_max = 2;
  for (const char* reference : {"vault://a#b", "vault://c#b", "vault://a#b", "vault://d#b"})
    EXPECT_TRUE(cache().resolve(reference));
  EXPECT_EQ(store_.count(), 3);
  EXPECT_TRUE(cache().resolve("vault://a#b"));
  EXPECT_EQ(store_.count(), 3) << "still known";
  EXPECT_TRUE(cache().resolve("vault://c#b"));
  EXPECT_EQ(store_.count(), 4);
}

TEST_F(SecretCacheTest, whoever_waits_is_told_of_the_end) {
  store_.hold(true);
  EXPECT_FALSE(cache().at_hand("vault://a#b"));
  EXPECT_TRUE(test::eventually([&] { return store_.count() == 1; }));
  std::promise<std::string> told;  // by a look that would begin after the one under way
  cache().renew("vault://a#b", [&](const Result<Secret>& secret) {
    told.set_value(secret ? "a secret" : secret.error().message);
  });
  std::thread end([&] { cache_.reset(); });
  store_.hold(false);
  end.join();
  const std::string heard = told.get_future().get();
  EXPECT_TRUE(heard == "a secret" || heard.find("stopping") != std::string::npos) << heard;
}

}  // namespace
}  // namespace eilbote::secret_cache_test
