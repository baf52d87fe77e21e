// The engine's parts started and stopped many times, by several threads at once and while others use them: each job handed
// in is answered exactly once, each stop comes back, and no life burns an attempt.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "support/engine_fixture.h"

namespace eilbote::test::engine_start_stop_test {
namespace {

using namespace std::chrono_literals;
using EngineStartStop = EngineFixture;

TEST_F(EngineStartStop, an_intake_stopped_by_two_while_jobs_come_answers_each_of_them_once) {
  for (int life = 0; life < 10; ++life) {
    IntakeLimits limits;
    limits.hands = 2;
    limits.help_from = 2;
    Intake& intake = start_intake(limits);
    std::atomic<int> taken{0}, answered{0}, accepted{0};
    std::latch together(5);
    {
      std::vector<std::jthread> threads;
      threads.reserve(5);
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
          together.arrive_and_wait();
          const auto answer = [&](const IntakeAnswer& got) {
            ++answered;
            if (got.kind == IntakeAnswer::Kind::accepted) ++accepted;
          };
          for (int i = 0; i < 50; ++i) {
            if (!intake.accept(new_job(), {}, answer)) break;
            ++taken;
          }
        });
      for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
          together.arrive_and_wait();
          intake.stop();
        });
    }
    EXPECT_EQ(answered, taken) << "life " << life;
    EXPECT_EQ(accepted, taken) << "what was taken is committed before it stops";
  }
}

TEST_F(EngineStartStop, a_ledger_of_many_lives_loses_nothing_and_burns_no_attempt) {
  std::vector<JobId> ids;
  ids.reserve(5);
  for (int i = 0; i < 5; ++i)
    ids.push_back(accept_one(new_job()));
  for (int life = 0; life < 10; ++life) {
    Ledger& ledger = start_ledger();
    std::latch together(4);
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        together.arrive_and_wait();
        for (int i = 0; i < 50; ++i)
          ledger.wake_all();
      });
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        together.arrive_and_wait();
        ledger.stop(30s);
      });
  }
  for (const JobId id : ids) {
    const JobRecord found = record(id);
    EXPECT_EQ(mail_state(found.job), MailState::QUEUED);
    EXPECT_EQ(found.job.attempts, 0);
  }
}

}  // namespace
}  // namespace eilbote::test::engine_start_stop_test
