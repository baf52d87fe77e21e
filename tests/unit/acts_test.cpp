// What people may do to a job: every act in every state, mail or webhook, partly handed over or not, bounced or not,
// grouped or not, in its group's turn or not.
#include "domain/acts.h"

#include <gtest/gtest.h>

#include <set>

namespace eilbote::acts_test {
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
  const std::set<S> waiting{S::queued, S::blocked, S::publishing, S::published};
  for (const auto& [status, text] : kJobStatusNames.entries) {
    SCOPED_TRACE(text);
    const Job job = job_in(status);
    const auto cancel = decide_act(job, Act::cancel);
    const auto abandon = decide_act(job, Act::abandon);
    const auto retry = decide_act(job, Act::retry);
    EXPECT_EQ(cancel.has_value(), waiting.contains(status));
    EXPECT_EQ(abandon.has_value(), waiting.contains(status));
    EXPECT_EQ(retry.has_value(), status == S::failed);
    EXPECT_FALSE(decide_act(job, Act::skip)) << "it holds up nobody";
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

TEST(Acts, with_a_broker_a_webhook_that_waits_is_pending) {
  Job job = job_in(S::failed);
  job.channel = ChannelKind::webhook;
  EXPECT_EQ(decide_act(job, Act::retry, false).value().to, "QUEUED");
  EXPECT_EQ(decide_act(job, Act::retry, true).value().to, "PENDING");
  job.status = S::published;
  EXPECT_EQ(decide_act(job, Act::cancel, true).value().from, "QUEUED") << "it is in the broker";
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
  for (const S status : {S::queued, S::blocked, S::publishing, S::published}) {
    Job job = job_in(status);
    job.partial = true;
    EXPECT_FALSE(decide_act(job, Act::cancel));
    EXPECT_FALSE(decide_act(job, Act::abandon));
  }
}

TEST(Acts, a_grouped_job_without_the_turn_joins_the_line_again) {
  for (const GroupMode mode : {GroupMode::NEXT_ON_ERROR, GroupMode::BLOCK_ON_ERROR}) {
    Job job = job_in(S::failed);
    job.group_mode = mode;
    const auto got = decide_act(job, Act::retry);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, S::blocked);
    EXPECT_FALSE(got->keeps_turn);
    EXPECT_EQ(got->to, "QUEUED");
  }
}

Job blocking_job() {
  Job job = job_in(S::failed);
  job.channel = ChannelKind::webhook;
  job.group_mode = GroupMode::BLOCK_ON_ERROR;
  job.holds_turn = true;
  return job;
}

TEST(Acts, a_dead_job_in_its_groups_turn_is_sent_again_before_the_others) {
  const auto got = decide_act(blocking_job(), Act::retry);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, S::queued);
  EXPECT_TRUE(got->keeps_turn);
  EXPECT_TRUE(got->resets_budget);
  EXPECT_EQ(got->from, "ERROR");
  EXPECT_EQ(got->to, "QUEUED");
}

TEST(Acts, a_dead_job_in_its_groups_turn_is_cancelled_or_skipped) {
  for (const Act act : {Act::cancel, Act::skip}) {
    const auto got = decide_act(blocking_job(), act);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, S::cancelled);
    EXPECT_FALSE(got->keeps_turn);
    EXPECT_FALSE(got->resets_budget);
    EXPECT_EQ(got->from, "ERROR");
    EXPECT_EQ(got->to, "CANCELLED");
  }
}

TEST(Acts, a_webhook_under_way_is_marked_and_nothing_else) {
  Job job = job_in(S::dispatching);
  job.channel = ChannelKind::webhook;
  for (const bool again : {false, true}) {
    job.cancelling = again;
    const auto got = decide_act(job, Act::cancel);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, S::dispatching);
    EXPECT_TRUE(got->only_marks);
    EXPECT_TRUE(got->keeps_turn);
    EXPECT_EQ(got->from + got->to, "") << "the public state stays";
  }
}

TEST(Acts, the_audit_log_keeps_the_states_or_the_mark) {
  Job job = job_in(S::failed);
  EXPECT_EQ(audit_detail(decide_act(job, Act::retry).value()), R"({"from":"FAILED","to":"QUEUED"})");
  job = job_in(S::dispatching);
  job.channel = ChannelKind::webhook;
  EXPECT_EQ(audit_detail(decide_act(job, Act::cancel).value()), R"({"cancelling":true})");
}

// The rules once more, from what the product says, over everything they look at.
bool is_allowed(const Job& job, Act act) {
  const bool waits = job.status == S::queued || job.status == S::blocked || job.status == S::publishing ||
                     job.status == S::published;
  const bool blocks =
      job.status == S::failed && job.group_mode == GroupMode::BLOCK_ON_ERROR && job.holds_turn;
  const bool webhook_under_way = job.channel == ChannelKind::webhook && job.status == S::dispatching;
  switch (act) {
    case Act::cancel:
      return !job.partial && (waits || blocks || webhook_under_way);
    case Act::abandon:
      return !job.partial && waits;
    case Act::skip:
      return blocks;
    case Act::retry:
      return job.status == S::failed || (job.status == S::sent && job.report == Report::bounced);
  }
  return false;
}

TEST(Acts, every_act_on_every_kind_of_job) {
  int allowed = 0;
  for (const auto& [act, act_text] : kActNames.entries)
    for (const auto& [status, status_text] : kJobStatusNames.entries)
      for (const auto& [channel, channel_text] : kChannelNames.entries)
        for (const auto& [mode, mode_text] : kGroupModeNames.entries)
          for (int bits = 0; bits < 8; ++bits) {
            Job job = job_in(status);
            job.channel = channel;
            job.group_mode = mode;
            job.holds_turn = (bits & 1) != 0;
            job.partial = (bits & 2) != 0;
            if ((bits & 4) != 0) job.report = Report::bounced;
            const auto got = decide_act(job, act);
            EXPECT_EQ(got.has_value(), is_allowed(job, act))
                << act_text << ' ' << status_text << ' ' << channel_text << ' ' << mode_text << ' ' << bits;
            allowed += got.has_value();
            if (!got) continue;
            EXPECT_FALSE(got->reason.empty());
            EXPECT_EQ(got->only_marks, act == Act::cancel && status == S::dispatching);
            EXPECT_EQ(got->resets_budget, act == Act::retry);
            EXPECT_EQ(got->sends_anew, act == Act::retry && status == S::sent);
          }
  EXPECT_GT(allowed, 100);
}

TEST(Acts, a_stop_goes_on_record_in_place_of_what_was_planned) {
  const StatusEvent plain = event_of_stop(std::nullopt);
  EXPECT_EQ(plain.from, "IN_PROGRESS");
  EXPECT_EQ(plain.to, "CANCELLED");
  EXPECT_EQ(plain.actor, "engine");
  const StatusEvent planned = event_of_stop(StatusEvent{{}, "QUEUED", "ERROR", "500", "worker", "trace"});
  EXPECT_EQ(planned, (StatusEvent{{}, "QUEUED", "CANCELLED", plain.reason, "worker", "trace"}));
}

}  // namespace
}  // namespace eilbote::acts_test
