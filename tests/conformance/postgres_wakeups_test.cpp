// Wake-ups between two programs on PostgreSQL.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "store/postgres/postgres_store.h"
#include "support/postgres_server.h"

namespace eilbote::test::postgres_wakeups_test {
namespace {

StoreOptions at(const std::string& url) {
  StoreOptions options;
  options.url = url;
  return options;
}

// Counts calls and lets a test wait for the next one.
class Ear {
 public:
  void hear() {
    const std::lock_guard lock(mutex_);
    ++heard_;
    changed_.notify_all();
  }
  int heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  bool hears_more_than(int n) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds{30}, [&] { return heard_ > n; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int heard_ = 0;
};

// Both are told of something; `listener` has to hear of the announcement that comes after.
void expect_heard(WakeUps& speaker, Ear& listener) {
  const int before = listener.heard();
  speaker.announce();
  EXPECT_TRUE(listener.hears_more_than(before));
}

TEST(PostgresWakeUps, AnAnnouncementReachesTheOthersAlsoAfterARestart) {
  PostgresServer server;
  const StoreOptions options = at(server.create_database());
  Ear left, right;
  const auto one = postgres::wakeups(options), two = postgres::wakeups(options);
  one->start([&] { left.hear(); });
  two->start([&] { right.hear(); });
  ASSERT_TRUE(left.hears_more_than(0)) << "connected: a first look";
  ASSERT_TRUE(right.hears_more_than(0));
  expect_heard(*one, right);
  expect_heard(*two, left);
  const int left_before = left.heard(), right_before = right.heard();
  server.restart();
  ASSERT_TRUE(left.hears_more_than(left_before)) << "back: what was said meanwhile may be lost, so it looks";
  ASSERT_TRUE(right.hears_more_than(right_before));
  expect_heard(*one, right);
  one->stop();
  two->stop();
  two->stop();
}

TEST(PostgresWakeUps, StopBeforeStartAndWithoutADatabase) {
  const StoreOptions nowhere = at("postgresql://eilbote@127.0.0.1:1/none");
  const auto never = postgres::wakeups(nowhere);
  never->stop();
  const auto away = postgres::wakeups(nowhere);
  away->start([] {});
  away->announce();
  away->stop();
}

// LISTEN is on a server where nobody speaks: the self-test finds out, and it looks by itself.
TEST(PostgresWakeUps, WhereNotificationsDoNotGetThroughItLooksByItself) {
  StoreOptions options = at(PostgresServer::shared().create_database());
  options.listen_url = PostgresServer::shared().create_database();
  Ear ear;
  const auto deaf = postgres::wakeups(options);
  deaf->start([&] { ear.hear(); });
  EXPECT_TRUE(ear.hears_more_than(3));
  deaf->stop();
}

}  // namespace
}  // namespace eilbote::test::postgres_wakeups_test
