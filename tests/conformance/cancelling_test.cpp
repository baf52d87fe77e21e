// A webhook that is cancelled while it is leased: the running attempt is its last, and its result stands.
#include "support/outbox_fixture.h"

namespace eilbote::test::cancelling_test {
namespace {

class Cancelling : public StoreFixture {
 protected:
  // Webhook jobs as far as this goes: the row says so.
  JobId webhook(const NewJob& job) {
    const JobId id = accepted(job);
    sql("UPDATE outbox SET channel = 'webhook' WHERE id = " + std::to_string(id.value()));
    return id;
  }
  // Claimed by `worker` and then cancelled.
  ClaimedJob cancelled_under_way(Worker& worker) {
    const ClaimedJob claimed = worker.claim_only();
    const ActOutcome outcome = act(claimed.job.id, Act::cancel, "shop");
    EXPECT_EQ(outcome.kind, ActKind::done);
    EXPECT_EQ(outcome.job.status, JobStatus::dispatching) << "it goes on";
    EXPECT_TRUE(is_marked(claimed.job.id));
    EXPECT_EQ(moves(claimed.job.id).size(), 1U) << "nothing has changed that people can see";
    return claimed;
  }
  bool is_marked(JobId id) {
    return count("outbox WHERE cancelling AND id = " + std::to_string(id.value())) == 1;
  }
  // `from`: what the attempt's own event would have said, where there was one.
  void expect_cancelled(JobId id, const std::string& from = "IN_PROGRESS") {
    const Job row = job(id);
    EXPECT_EQ(row.status, JobStatus::cancelled);
    EXPECT_FALSE(row.dead_reason);
    EXPECT_TRUE(about(row.finished_at, now()));
    EXPECT_FALSE(is_marked(id));
    const StatusEvent event = must(outbox().history(id)).events.back();
    EXPECT_EQ(event.to, "CANCELLED");
    EXPECT_EQ(event.from, from);
    EXPECT_EQ(event.reason, "cancelled while it was under way");
    EXPECT_EQ(moves(id).size(), 2U) << "one event, not also the one that was planned";
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Cancelling, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Cancelling, ARetryBecomesTheEnd) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = cancelled_under_way(one);
  EXPECT_EQ(one.settle(settle_retry(claimed)), SettleOutcome::settled);
  expect_cancelled(id, "QUEUED");
  EXPECT_EQ(must(outbox().history(id)).attempts.size(), 1U) << "the attempt is on record";
  travel(hours{1});
  EXPECT_TRUE(worker("two").claim().empty()) << "no further attempt";
}

TEST_P(Cancelling, SoDoADeferralAndAHandBack) {
  for (const auto settle : {+[](const ClaimedJob& c) { return settle_deferred(c); },
                            +[](const ClaimedJob& c) { return settle_released(c); }}) {
    const JobId id = webhook(new_mail());
    Worker one = worker();
    const ClaimedJob claimed = cancelled_under_way(one);
    const Settlement settlement = settle(claimed);
    EXPECT_EQ(one.settle(settlement), SettleOutcome::settled);
    expect_cancelled(id, settlement.event ? "QUEUED" : "IN_PROGRESS");
  }
}

TEST_P(Cancelling, ASuccessStands) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  one.settle(settle_sent(cancelled_under_way(one)));
  EXPECT_EQ(status(id), "sent");
  EXPECT_FALSE(is_marked(id));
  EXPECT_EQ(moves(id).back(), "QUEUED -> SENT") << "as the attempt said";
}

TEST_P(Cancelling, AFinalFailureStands) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  one.settle(settle_failed(cancelled_under_way(one)));
  EXPECT_EQ(status(id), "failed");
  EXPECT_EQ(job(id).dead_reason, DeadReason::PermanentFailure);
  ASSERT_EQ(act(id, Act::retry).kind, ActKind::done);
  EXPECT_EQ(one.settle(settle_retry(one.claim_only())), SettleOutcome::settled);
  EXPECT_EQ(status(id), "queued") << "sent again, it is as free as any other";
}

TEST_P(Cancelling, ALostWorkerEndsItAtOnce) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  cancelled_under_way(one);
  travel(minutes{1});
  const SweepResult swept = rescue();
  EXPECT_EQ(swept.changed, 1);
  EXPECT_EQ(swept.failed, 0);
  EXPECT_TRUE(swept.lanes.empty()) << "nothing became due";
  expect_cancelled(id);
}

TEST_P(Cancelling, EvenAtItsLastLoss) {
  const JobId id = webhook(new_mail());
  sql("UPDATE outbox SET losses = 9");
  Worker one = worker();
  cancelled_under_way(one);
  travel(minutes{1});
  EXPECT_EQ(rescue().failed, 0);
  expect_cancelled(id);
}

TEST_P(Cancelling, AClaimWhoseAnswerWasLostEndsToo) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  cancelled_under_way(one);
  EXPECT_EQ(must(care().reconcile(one.epoch(), {})), 1);
  expect_cancelled(id);
}

TEST_P(Cancelling, TheGroupGoesOnHoweverItEnds) {
  int n = 0;
  for (const auto settle : {+[](const ClaimedJob& c) { return settle_retry(c); },
                            +[](const ClaimedJob& c) { return settle_failed(c); },
                            +[](const ClaimedJob& c) { return settle_sent(c); }}) {
    const std::string group = std::to_string(++n);
    const JobId a = webhook(new_mail().blocking_group(group));
    const JobId b = webhook(new_mail().blocking_group(group));
    Worker one = worker();
    const ClaimedJob claimed = cancelled_under_way(one);
    EXPECT_TRUE(has_turn(a)) << "never two in flight";
    EXPECT_EQ(one.settle(settle(claimed)), SettleOutcome::settled);
    EXPECT_FALSE(has_turn(a));
    EXPECT_TRUE(has_turn(b));
    one.settle(settle_sent(one.claim_only()));
  }
}

TEST_P(Cancelling, ALostWorkersGroupGoesOn) {
  webhook(new_mail().blocking_group("g"));
  const JobId b = webhook(new_mail().blocking_group("g"));
  Worker one = worker();
  cancelled_under_way(one);
  travel(minutes{1});
  EXPECT_EQ(rescue().lanes, std::vector{lane_of()});
  EXPECT_TRUE(has_turn(b));
}

TEST_P(Cancelling, CancellingTwiceIsOnce) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = cancelled_under_way(one);
  EXPECT_EQ(act(id, Act::cancel, "shop").kind, ActKind::done);
  EXPECT_EQ(act(id, Act::abandon).kind, ActKind::refused);
  one.settle(settle_retry(claimed));
  expect_cancelled(id, "QUEUED");
}

TEST_P(Cancelling, AnOperatorsIsInTheAuditLog) {
  const JobId id = webhook(new_mail());
  Worker one = worker();
  one.claim_only();
  EXPECT_EQ(act(id, Act::cancel).kind, ActKind::done);
  EXPECT_EQ(count("audit_log WHERE act = 'cancel' AND job_id = " + std::to_string(id.value())), 1);
}

TEST_P(Cancelling, AMailUnderWayIsStillRefused) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.claim_only();
  EXPECT_EQ(act(id, Act::cancel, "shop").kind, ActKind::refused);
  EXPECT_FALSE(is_marked(id));
}

}  // namespace
}  // namespace eilbote::test::cancelling_test
