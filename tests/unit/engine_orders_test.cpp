// Orders of POST /internal/dispatch*: complete when all is settled, answered at the deadline otherwise.
#include <gtest/gtest.h>

#include "engine/dispatch_orders.h"

namespace eilbote::engine_orders_test {
namespace {

using namespace std::chrono_literals;
const Clock::Steady kStart{1000s};

Job job(int id, JobStatus status = JobStatus::dispatching) {
  Job made;
  made.id = JobId{id};
  made.status = status;
  return made;
}

struct Answered {
  std::optional<DispatchReport> report;
  DispatchOrders::Done done() {
    return [this](Result<DispatchReport> result) { report = std::move(*result); };
  }
};

TEST(DispatchOrders, AnswersWhenAllIsSettled) {
  DispatchOrders orders;
  Answered answer;
  orders.add({.batch_size = 5, .only = {}, .wait = 30s}, answer.done(), kStart);
  DispatchOrders::Open* open = orders.claiming();
  ASSERT_NE(open, nullptr);
  orders.claimed(*open, job(1), LeaseToken{1});
  orders.claimed(*open, job(2), LeaseToken{1});
  orders.no_more(*open);
  orders.settled(job(1, JobStatus::sent), LeaseToken{1});
  orders.answer(kStart, false);
  EXPECT_FALSE(answer.report.has_value());
  orders.settled(job(2, JobStatus::queued), LeaseToken{1});
  orders.answer(kStart, false);
  ASSERT_TRUE(answer.report.has_value());
  ASSERT_EQ(answer.report->jobs.size(), 2u);
  EXPECT_EQ(answer.report->jobs[0].status, JobStatus::sent);
  EXPECT_EQ(answer.report->jobs[1].status, JobStatus::queued);
  EXPECT_FALSE(orders.next_deadline().has_value());
}

TEST(DispatchOrders, AnswersAtTheDeadlineWithWhatIsKnown) {
  DispatchOrders orders;
  Answered answer;
  orders.add({.batch_size = 2, .only = {}, .wait = 30s}, answer.done(), kStart);
  orders.claimed(*orders.claiming(), job(1), LeaseToken{1});
  orders.answer(kStart + 29s, false);
  EXPECT_FALSE(answer.report.has_value());
  orders.answer(kStart + 30s, false);
  ASSERT_TRUE(answer.report.has_value());
  EXPECT_EQ(answer.report->jobs.at(0).status, JobStatus::dispatching);
  orders.settled(job(1, JobStatus::sent), LeaseToken{1});  // comes too late, and harms nobody
}

TEST(DispatchOrders, ClaimsNoMoreThanItsBatch) {
  DispatchOrders orders;
  Answered first, second;
  orders.add({.batch_size = 1, .only = {}, .wait = 30s}, first.done(), kStart);
  orders.add({.batch_size = 1, .only = {}, .wait = 30s}, second.done(), kStart);
  orders.claimed(*orders.claiming(), job(1), LeaseToken{1});
  orders.claimed(*orders.claiming(), job(2), LeaseToken{1});
  EXPECT_EQ(orders.claiming(), nullptr);
  orders.settled(job(2, JobStatus::sent), LeaseToken{1});
  orders.answer(kStart, false);
  EXPECT_FALSE(first.report.has_value());
  EXPECT_EQ(second.report->jobs.at(0).id, JobId{2});
}

// A retry that is due at once may be claimed again before its first settlement is told.
TEST(DispatchOrders, AJobClaimedTwiceIsSettledTwice) {
  DispatchOrders orders;
  Answered answer;
  orders.add({.batch_size = 2, .only = {}, .wait = 5s}, answer.done(), kStart);
  orders.claimed(*orders.claiming(), job(1), LeaseToken{1});
  orders.claimed(*orders.claiming(), job(1), LeaseToken{2});
  orders.settled(job(1, JobStatus::queued), LeaseToken{1});
  orders.answer(kStart, false);
  EXPECT_FALSE(answer.report);
  orders.settled(job(1, JobStatus::sent), LeaseToken{2});
  orders.answer(kStart, false);
  ASSERT_TRUE(answer.report);
  EXPECT_EQ(answer.report->jobs.at(0).status, JobStatus::sent);
}

TEST(DispatchOrders, RefusalIsSaid) {
  DispatchOrders orders;
  Answered answer;
  orders.add({.batch_size = 1, .only = JobId{7}, .wait = 30s}, answer.done(), kStart);
  orders.refuse(*orders.claiming());
  orders.answer(kStart, false);
  EXPECT_TRUE(answer.report->refused);
}

}  // namespace
}  // namespace eilbote::engine_orders_test
