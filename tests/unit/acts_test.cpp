// What people may do to a job: every act in every state, partly handed over or not, bounced or not, grouped
// or not.
#include "domain/acts.h"

#include <gtest/gtest.h>

#include <set>

namespace eilbote {
namespace {

using S = JobStatus;

Job job_in(S status) {
  Job job;
  job.status = status;
  if (status == S::failed) {
    job.retry_count = 5;
    job.deferrals = 2;
    job.dead_reason = DeadReason::MaxAttemptsExceeded;
    job.last_error = "gone";
  }
  return job;
}

TEST(Acts, every_act_in_every_state) {
  const std::set<S> waiting{S::queued, S::blocked, S::published};
  for (const auto& [status, text] : kJobStatusNames.entries) {
    SCOPED_TRACE(text);
    const Job job = job_in(status);
    const auto cancel = decide_act(job, Act::cancel);
    const auto abandon = decide_act(job, Act::abandon);
    const auto retry = decide_act(job, Act::retry);
    EXPECT_EQ(cancel.has_value(), waiting.contains(status));
    EXPECT_EQ(abandon.has_value(), waiting.contains(status));
    EXPECT_EQ(retry.has_value(), status == S::failed);
  }
}

TEST(Acts, cancel) {
  const auto got = decide_act(job_in(S::queued), Act::cancel);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, S::cancelled);
  EXPECT_FALSE(got->resets_budget);
  EXPECT_FALSE(got->dead_reason.has_value());
  EXPECT_EQ(got->from, "QUEUED");
  EXPECT_EQ(got->to, "CANCELLED");
  EXPECT_FALSE(got->reason.empty());
}

TEST(Acts, cancel_of_a_retrying_mail) {
  Job job = job_in(S::queued);
  job.retry_count = 2;
  const auto got = decide_act(job, Act::cancel);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->from, "RETRY_PENDING");
  EXPECT_EQ(got->to, "CANCELLED");
}

TEST(Acts, abandon) {
  const auto got = decide_act(job_in(S::blocked), Act::abandon);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, S::failed);
  EXPECT_EQ(got->dead_reason, DeadReason::Abandoned);
  EXPECT_FALSE(got->resets_budget);
  EXPECT_EQ(got->from, "QUEUED");
  EXPECT_EQ(got->to, "FAILED");
}

TEST(Acts, retry_of_the_dead_resets_the_budget) {
  const auto got = decide_act(job_in(S::failed), Act::retry);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, S::queued);
  EXPECT_TRUE(got->resets_budget);
  EXPECT_FALSE(got->dead_reason.has_value());
  EXPECT_EQ(got->from, "FAILED");
  EXPECT_EQ(got->to, "QUEUED");
}

TEST(Acts, retry_of_the_sent_only_after_a_bounce) {
  Job job = job_in(S::sent);
  EXPECT_FALSE(decide_act(job, Act::retry));
  job.report = Report::delivered;
  EXPECT_FALSE(decide_act(job, Act::retry));
  job.report = Report::bounced;
  const auto got = decide_act(job, Act::retry);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, S::queued);
  EXPECT_EQ(got->from, "BOUNCED");
  EXPECT_EQ(got->to, "QUEUED");
}

TEST(Acts, what_was_partly_handed_over_can_only_go_on) {
  for (const S status : {S::queued, S::blocked, S::published}) {
    Job job = job_in(status);
    job.partial = true;
    EXPECT_FALSE(decide_act(job, Act::cancel));
    EXPECT_FALSE(decide_act(job, Act::abandon));
  }
}

TEST(Acts, a_grouped_job_joins_the_line_again) {
  for (const GroupMode mode : {GroupMode::NEXT_ON_ERROR, GroupMode::BLOCK_ON_ERROR}) {
    Job job = job_in(S::failed);
    job.group_mode = mode;
    const auto got = decide_act(job, Act::retry);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, S::blocked);
    EXPECT_EQ(got->to, "QUEUED");
  }
}

}  // namespace
}  // namespace eilbote
