// Groups: one at a time, by sequence, then place; who gives up the turn and who keeps it.
#include "support/outbox_fixture.h"

namespace eilbote::test::groups_test {
namespace {

class Groups : public StoreFixture {
 protected:
  // Claims the only job whose turn it is, and says which.
  ClaimedJob next(Worker& one) { return one.claim_only(); }
  // Sends everything that comes up and returns the order.
  std::vector<JobId> drain(Worker& one) {
    std::vector<JobId> order;
    for (std::vector<ClaimedJob> claimed = one.claim(); !claimed.empty(); claimed = one.claim()) {
      EXPECT_EQ(claimed.size(), 1U) << "never two of a group at once";
      order.push_back(claimed[0].job.id);
      EXPECT_EQ(one.settle(settle_sent(claimed[0])), SettleOutcome::settled);
    }
    return order;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Groups, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Groups, OneAtATimeInTheOrderOfAcceptance) {
  const JobId a = accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  const JobId c = accepted(new_mail().in_group("g"));
  EXPECT_EQ(status(a), "queued");
  EXPECT_EQ(status(b), "blocked");
  EXPECT_EQ(state(b), "QUEUED");
  Worker one = worker();
  EXPECT_TRUE(next(one).grouped);
  EXPECT_TRUE(one.claim().empty()) << "the turn is taken";
  must(care().reconcile(one.epoch(), {}));
  EXPECT_EQ(drain(one), (std::vector{a, b, c}));
}

TEST_P(Groups, BySequenceThenPlace) {
  const JobId turn = accepted(new_mail().in_group("g", 50));
  const JobId last = accepted(new_mail().in_group("g", 99));
  const JobId low = accepted(new_mail().in_group("g", 10));
  const JobId low_later = accepted(new_mail().in_group("g", 10));
  const JobId lowest = accepted(new_mail().in_group("g", 1));
  Worker one = worker();
  EXPECT_EQ(drain(one), (std::vector{turn, lowest, low, low_later, last}))
      << "a lower sequence does not overtake the job that has the turn";
}

TEST_P(Groups, GroupsDoNotWaitForEachOther) {
  accepted(new_mail().in_group("a"));
  accepted(new_mail().in_group("a"));
  accepted(new_mail().in_group("b"));
  accepted(new_mail());
  EXPECT_EQ(worker().claim().size(), 3U);
}

TEST_P(Groups, TheNextOnesLaneIsNamed) {
  accepted(new_mail().in_group("g"));
  const JobId second = accepted(new_mail().in_group("g").in_pool("bulk"));
  Worker one = worker();
  const ExchangeResult result = one.exchange({settle_sent(next(one))});
  EXPECT_EQ(result.woken, std::vector{lane_of("shop", "bulk")});
  EXPECT_TRUE(has_turn(second));
  EXPECT_EQ(status(second), "queued");
}

TEST_P(Groups, TheNextOneMayBeClaimedInTheSameExchange) {
  accepted(new_mail().in_group("g"));
  const JobId second = accepted(new_mail().in_group("g"));
  Worker one = worker();
  const ClaimedJob first = next(one);
  EXPECT_EQ(ids_of(one.exchange({settle_sent(first)}, {ClaimLane{first.lane, 10, {}}}).claimed),
            std::vector{second});
}

TEST_P(Groups, AFailedNextOnErrorJobGivesUpTheTurnUntilItIsDue) {
  const JobId a = accepted(new_mail().in_group("g", 1));
  const JobId b = accepted(new_mail().in_group("g", 2));
  const JobId c = accepted(new_mail().in_group("g", 3));
  Worker one = worker();
  one.settle(settle_block(next(one), minutes{10}));
  EXPECT_EQ(status(a), "blocked");
  EXPECT_FALSE(has_turn(a));
  EXPECT_EQ(state(a), "RETRY_PENDING");
  const ClaimedJob second = next(one);
  EXPECT_EQ(second.job.id, b) << "the line goes on";
  travel(minutes{11});
  must(care().heartbeat(one.epoch(), minutes{1}, true));
  EXPECT_EQ(sweep(Sweep::promote).changed, 0) << "b has the turn";
  one.settle(settle_sent(second));
  EXPECT_EQ(drain(one), (std::vector{a, c})) << "a, due again, has the lower sequence";
}

TEST_P(Groups, ALonelyNextOnErrorJobComesBackByTheNet) {
  const JobId a = accepted(new_mail().in_group("g"));
  Worker one = worker();
  one.settle(settle_block(next(one), minutes{10}));
  EXPECT_EQ(sweep(Sweep::promote).changed, 0) << "not due yet";
  travel(minutes{11});
  const SweepResult promoted = sweep(Sweep::promote);
  EXPECT_EQ(promoted.changed, 1);
  EXPECT_EQ(promoted.lanes, std::vector{lane_of()});
  EXPECT_EQ(drain(one), std::vector{a});
}

TEST_P(Groups, ADeadNextOnErrorJobPassesTheTurn) {
  accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  Worker one = worker();
  one.settle(settle_failed(next(one)));
  EXPECT_EQ(drain(one), std::vector{b});
}

TEST_P(Groups, ARetryingBlockOnErrorJobKeepsTheTurn) {
  const JobId a = accepted(new_mail().blocking_group("g"));
  const JobId b = accepted(new_mail().blocking_group("g"));
  EXPECT_EQ(job(a).group_mode, GroupMode::BLOCK_ON_ERROR);
  Worker one = worker();
  one.settle(settle_retry(next(one), minutes{10}));
  EXPECT_TRUE(has_turn(a));
  EXPECT_TRUE(one.claim().empty());
  EXPECT_EQ(sweep(Sweep::promote).changed, 0);
  travel(minutes{11});
  EXPECT_EQ(drain(one), (std::vector{a, b}));
}

TEST_P(Groups, ADeadBlockOnErrorJobHoldsTheLineUntilAnOperatorActs) {
  const JobId a = accepted(new_mail().blocking_group("g"));
  const JobId b = accepted(new_mail().blocking_group("g"));
  Worker one = worker();
  one.settle(settle_failed(next(one)));
  EXPECT_EQ(status(a), "failed");
  EXPECT_TRUE(has_turn(a));
  EXPECT_TRUE(one.claim().empty());
  EXPECT_EQ(sweep(Sweep::promote).changed, 0);
  const JobId c = accepted(new_mail().blocking_group("g", 1));
  EXPECT_EQ(status(c), "blocked") << "nor does a newcomer pass it";
  EXPECT_EQ(act(a, Act::retry).kind, ActKind::done);
  EXPECT_TRUE(has_turn(a));
  EXPECT_EQ(status(a), "queued");
  EXPECT_EQ(drain(one), (std::vector{a, c, b}))
      << "sent again it goes first, whatever joined the line meanwhile";
  EXPECT_EQ(state(a), "SENT");
}

TEST_P(Groups, ADeadBlockOnErrorJobIsSkippedOrCancelledAndTheGroupGoesOn) {
  for (const Act what : {Act::skip, Act::cancel}) {
    const std::string group(kActNames.text(what));
    const JobId a = accepted(new_mail().blocking_group(group));
    const JobId b = accepted(new_mail().blocking_group(group));
    Worker one = worker();
    EXPECT_EQ(act(a, Act::skip).kind, ActKind::refused) << "it is not dead";
    one.settle(settle_failed(next(one)));
    EXPECT_EQ(act(b, Act::skip).kind, ActKind::refused) << "it is not the one";
    const ActOutcome outcome = act(a, what);
    EXPECT_EQ(outcome.kind, ActKind::done);
    EXPECT_EQ(outcome.job.status, JobStatus::cancelled);
    EXPECT_FALSE(has_turn(a));
    EXPECT_TRUE(has_turn(b)) << "in the same transaction";
    EXPECT_TRUE(about(job(a).finished_at, now()));
    EXPECT_EQ(moves(a).back(), "FAILED -> CANCELLED");
    EXPECT_EQ(count("audit_log WHERE act = '" + group + "' AND job_id = " + std::to_string(a.value())), 1);
    EXPECT_EQ(act(a, what).kind, ActKind::refused) << "only once";
    EXPECT_EQ(act(a, Act::retry).kind, ActKind::refused) << "cancelled is final";
    EXPECT_EQ(drain(one), std::vector{b});
  }
}

TEST_P(Groups, ADeadJobWithoutTheTurnIsNotSkipped) {
  const JobId a = accepted(new_mail().blocking_group("g").expiring_at(now() + hours{1}));
  const JobId lonely = accepted(new_mail());
  travel(hours{2});
  ASSERT_EQ(sweep(Sweep::expire).changed, 1);
  Worker one = worker();
  one.settle(settle_failed(next(one)));
  for (const Act what : {Act::skip, Act::cancel}) {
    EXPECT_EQ(act(a, what).kind, ActKind::refused) << "expired: its group went on";
    EXPECT_EQ(act(lonely, what).kind, ActKind::refused);
  }
}

TEST_P(Groups, AJobSentAgainInItsTurnMayDieAgainAndStillHoldsTheLine) {
  const JobId a = accepted(new_mail().blocking_group("g"));
  const JobId b = accepted(new_mail().blocking_group("g"));
  Worker one = worker();
  for (int i = 0; i < 3; ++i) {
    one.settle(settle_failed(next(one)));
    EXPECT_TRUE(has_turn(a));
    EXPECT_EQ(act(a, Act::retry).kind, ActKind::done);
  }
  EXPECT_EQ(drain(one), (std::vector{a, b}));
}

TEST_P(Groups, AReleasedJobKeepsItsTurn) {
  const JobId a = accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  Worker one = worker();
  one.settle(settle_released(next(one)));
  EXPECT_TRUE(has_turn(a));
  EXPECT_EQ(drain(one), (std::vector{a, b}));
}

TEST_P(Groups, ARescuedJobKeepsItsTurn) {
  const JobId a = accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  Worker one = worker();
  next(one);
  travel(minutes{1});
  EXPECT_EQ(rescue().changed, 1);
  EXPECT_TRUE(has_turn(a));
  Worker two = worker("two");
  EXPECT_EQ(drain(two), (std::vector{a, b}));
}

TEST_P(Groups, TheTenthLossPassesTheTurnUnlessTheGroupBlocks) {
  accepted(new_mail().in_group("next"));
  const JobId next_b = accepted(new_mail().in_group("next"));
  const JobId block_a = accepted(new_mail().blocking_group("block"));
  accepted(new_mail().blocking_group("block"));
  sql("UPDATE outbox SET losses = 9");
  Worker one = worker();
  ASSERT_EQ(one.claim().size(), 2U);
  travel(minutes{1});
  EXPECT_EQ(rescue().failed, 2);
  EXPECT_TRUE(has_turn(next_b));
  EXPECT_EQ(status(next_b), "queued");
  EXPECT_TRUE(has_turn(block_a));
}

TEST_P(Groups, AScheduledJobJoinsTheLineAtItsTime) {
  const JobId later = accepted(new_mail().in_group("g", 1).scheduled_for(now() + hours{1}));
  EXPECT_EQ(status(later), "blocked") << "not due: it does not hold up the others";
  const JobId a = accepted(new_mail().in_group("g", 50));
  const JobId b = accepted(new_mail().in_group("g", 60));
  Worker one = worker();
  const ClaimedJob first = next(one);
  EXPECT_EQ(first.job.id, a);
  travel(hours{2});
  must(care().heartbeat(one.epoch(), minutes{1}, true));
  one.settle(settle_sent(first));
  EXPECT_EQ(drain(one), (std::vector{later, b}));
}

TEST_P(Groups, ALonelyScheduledJobIsPromotedWhenDue) {
  const JobId later = accepted(new_mail().in_group("g").scheduled_for(now() + hours{1}));
  EXPECT_EQ(sweep(Sweep::promote).changed, 0);
  travel(hours{2});
  EXPECT_EQ(sweep(Sweep::promote).changed, 1);
  EXPECT_EQ(status(later), "queued");
  EXPECT_TRUE(has_turn(later));
}

TEST_P(Groups, CancellingTheHolderReleasesTheGroup) {
  const JobId a = accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  const JobId c = accepted(new_mail().in_group("g"));
  EXPECT_EQ(act(b, Act::cancel).kind, ActKind::done) << "out of the middle of the line";
  EXPECT_EQ(act(a, Act::cancel).kind, ActKind::done);
  EXPECT_FALSE(has_turn(a));
  EXPECT_TRUE(has_turn(c));
  Worker one = worker();
  EXPECT_EQ(drain(one), std::vector{c});
}

TEST_P(Groups, AbandoningTheHolderReleasesTheGroup) {
  const JobId a = accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  EXPECT_EQ(act(a, Act::abandon).kind, ActKind::done);
  EXPECT_TRUE(has_turn(b));
}

TEST_P(Groups, ExpiryOfTheHolderReleasesTheGroup) {
  const JobId a = accepted(new_mail().in_group("g").expiring_at(now() + hours{1}));
  const JobId b = accepted(new_mail().in_group("g").expiring_at(now() + hours{1}));
  const JobId c = accepted(new_mail().in_group("g"));
  travel(hours{2});
  EXPECT_EQ(sweep(Sweep::expire).changed, 2);
  EXPECT_EQ(status(a), "failed");
  EXPECT_EQ(status(b), "failed");
  sweep(Sweep::promote);
  EXPECT_TRUE(has_turn(c));
}

TEST_P(Groups, ARetriedJobTakesItsOldPlace) {
  const JobId a = accepted(new_mail().in_group("g"));
  const JobId b = accepted(new_mail().in_group("g"));
  const JobId c = accepted(new_mail().in_group("g"));
  Worker one = worker();
  one.settle(settle_failed(next(one)));
  EXPECT_EQ(act(a, Act::retry).kind, ActKind::done);
  EXPECT_EQ(status(a), "blocked") << "b has the turn now";
  EXPECT_EQ(drain(one), (std::vector{b, a, c}));
}

}  // namespace
}  // namespace eilbote::test::groups_test
