// Service: started once, stopped any number of times, from any thread, before or after the start.
#include "base/service.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <vector>

namespace eilbote::service_test {
namespace {

// A body that waits until it is asked to stop, and says when it runs.
struct Waiting {
  std::latch running{1};
  std::atomic<int> ended{0};
  std::mutex mutex;
  std::condition_variable_any wake;

  std::function<void(std::stop_token)> body() {
    return [this](const std::stop_token& token) {
      running.count_down();
      std::unique_lock lock(mutex);
      wake.wait(lock, token, [] { return false; });
      ++ended;
    };
  }
};

TEST(Service, runs_until_it_is_stopped) {
  Waiting waiting;
  Service service("waits", waiting.body());
  service.start();
  waiting.running.wait();
  EXPECT_EQ(waiting.ended, 0);
  service.stop();
  EXPECT_EQ(waiting.ended, 1);
}

TEST(Service, may_be_stopped_twice) {
  Waiting waiting;
  Service service("twice", waiting.body());
  service.start();
  service.stop();
  service.stop();
  EXPECT_EQ(waiting.ended, 1);
}

TEST(Service, whoever_stops_it_second_waits_for_the_thread_too) {
  std::latch asked{1}, may_end{1};
  std::atomic<bool> has_ended{false};
  Service service("slow", [&](const std::stop_token& token) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait(lock, token, [] { return false; });
    asked.count_down();
    may_end.wait();
    has_ended = true;
  });
  service.start();
  const auto stop = [&] {
    service.stop();
    return has_ended.load();
  };
  auto first = std::async(std::launch::async, stop);
  asked.wait();
  auto second = std::async(std::launch::async, stop);
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds{20}), std::future_status::timeout) << "still running";
  may_end.count_down();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

TEST(Service, stopped_before_the_start_never_runs) {
  std::atomic<int> runs{0};
  {
    Service service("never", [&](const std::stop_token&) { ++runs; });
    service.stop();
    service.start();
    service.stop();
  }
  EXPECT_EQ(runs, 0);
}

TEST(Service, runs_once_when_started_twice) {
  std::atomic<int> runs{0};
  {
    Service service("once", [&](const std::stop_token&) { ++runs; });
    service.start();
    service.start();
  }
  EXPECT_EQ(runs, 1);
}

TEST(Service, request_stop_only_asks) {
  Waiting waiting;
  Service service("asked", waiting.body());
  service.request_stop();  // nothing runs yet: no effect
  service.start();
  waiting.running.wait();
  service.request_stop();
  service.stop();
  EXPECT_EQ(waiting.ended, 1);
}

TEST(Service, destruction_stops_it) {
  Waiting waiting;
  {
    Service service("destroyed", waiting.body());
    service.start();
    waiting.running.wait();
  }
  EXPECT_EQ(waiting.ended, 1);
}

TEST(Service, names_its_thread) {
  std::string seen;
  {
    Service service("a-name-longer-than-linux-takes", [&](const std::stop_token&) {
      std::array<char, 16> name{};
      pthread_getname_np(pthread_self(), name.data(), name.size());
      seen = name.data();
    });
    service.start();
  }
  EXPECT_EQ(seen, "a-name-longer-t");
}

TEST(ServiceDeathTest, an_escaping_exception_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Service service("dies", [](const std::stop_token&) { throw std::runtime_error("broken body"); });
        service.start();
        service.stop();
      },
      "a thread failed.*broken body");
}

// Start, stop, request_stop and destruction from several threads at once, many times over.
TEST(Service, survives_a_race_of_starts_and_stops) {
  for (int round = 0; round < 300; ++round) {
    Waiting waiting;
    std::atomic<int> runs{0};
    {
      Service service("stress", [&, body = waiting.body()](const std::stop_token& token) {
        ++runs;
        body(token);
      });
      std::latch together(4);
      const auto go = [&](auto act) {
        return std::jthread([&, act] {
          together.arrive_and_wait();
          act();
        });
      };
      std::vector<std::jthread> threads;
      threads.push_back(go([&] { service.start(); }));
      threads.push_back(go([&] { service.stop(); }));
      threads.push_back(go([&] { service.stop(); }));
      threads.push_back(go([&] { service.request_stop(); }));
    }
    ASSERT_LE(runs, 1);
    ASSERT_EQ(waiting.ended, runs) << "a body that ran has ended";
  }
}

}  // namespace
}  // namespace eilbote::service_test
