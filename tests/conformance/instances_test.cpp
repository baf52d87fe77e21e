// Instances: epochs, heartbeats, what happens to the leases of one that is gone, and the homes of limited
// pools.
#include "support/outbox_fixture.h"

namespace eilbote::test::instances_test {
namespace {

EILBOTE_ON_BOTH_STORES(Instances);

TEST_P(Instances, OwnRescueLeavesAloneWhatIsStillInHand) {
  const JobId in_hand = accepted(new_mail()), lost = accepted(new_mail());
  Worker old(outbox(), care(), "one", seconds{5});
  std::map<JobId, ClaimedJob> claimed;
  for (ClaimedJob& job : old.claim())
    claimed[job.job.id] = job;
  Worker anew(outbox(), care(), "one");  // its lease was over: the same process under another epoch
  RescueParams params;
  params.spare = {in_hand};
  EXPECT_EQ(rescue(params).changed, 1);
  EXPECT_EQ(status(lost), "queued");
  EXPECT_EQ(status(in_hand), "dispatching");
  EXPECT_EQ(old.settle(settle_sent(claimed.at(in_hand))), SettleOutcome::settled) << "under the lease it had";
  EXPECT_EQ(state(in_hand), "SENT");
}

TEST_P(Instances, AnEpochIsNeverUsedTwice) {
  std::int32_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const Epoch epoch = must(care().start_instance("one", seconds{15}));
    EXPECT_GT(epoch.value(), last);
    last = epoch.value();
    must(care().end_instance(epoch));
    rescue();
    if (i == 2) reopen();
  }
}

TEST_P(Instances, AHeartbeatStretchesTheLease) {
  accepted(new_mail());
  Worker one = worker();
  one.claim_only();
  for (int i = 0; i < 5; ++i) {
    travel(seconds{10});
    EXPECT_TRUE(must(care().heartbeat(one.epoch(), minutes{1}, true)).alive);
    EXPECT_EQ(rescue().changed, 0);
  }
}

TEST_P(Instances, AHeartbeatCountsTheOthersThatLive) {
  const auto peers = [&](const Worker& of) {
    return must(care().heartbeat(of.epoch(), minutes{1}, true)).peers;
  };
  Worker one = worker("one");
  EXPECT_EQ(peers(one), 0);
  if (!on_postgres()) return;  // a second instance on SQLite is always the first one's successor
  Worker two = worker("two"), three = worker("three");
  EXPECT_EQ(peers(one), 2);
  EXPECT_EQ(peers(two), 2);
  must(care().end_instance(three.epoch()));
  EXPECT_EQ(peers(one), 1) << "one signed off";
  travel(seconds{40});
  EXPECT_EQ(peers(one), 1);
  travel(seconds{40});
  EXPECT_EQ(peers(one), 0) << "the lease of the other is over";
}

TEST_P(Instances, AHeartbeatAfterTheLeaseIsTooLate) {
  Worker one = worker();
  travel(minutes{1});
  EXPECT_FALSE(must(care().heartbeat(one.epoch(), seconds{15}, true)).alive);
  EXPECT_FALSE(must(care().heartbeat(one.epoch(), seconds{15}, true)).alive) << "and stays so";
  rescue();
  EXPECT_FALSE(must(care().heartbeat(one.epoch(), seconds{15}, true)).alive);
  EXPECT_FALSE(must(care().heartbeat(Epoch{4711}, seconds{15}, true)).alive) << "never existed";
}

TEST_P(Instances, JobsOfADeadInstanceAreFreeAndBurnNothing) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  EXPECT_EQ(rescue().changed, 0) << "still alive";
  travel(seconds{16});
  const SweepResult rescued = rescue();
  EXPECT_EQ(rescued.changed, 1);
  EXPECT_EQ(rescued.failed, 0);
  EXPECT_EQ(rescued.lanes, std::vector{lane_of()});
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.losses, 1);
  EXPECT_EQ(row.retry_count, 0);
  EXPECT_EQ(row.attempts, 0);
  EXPECT_LE(row.next_attempt_at, now()) << "due as before";
  EXPECT_EQ(moves(id).size(), 1U);
  EXPECT_EQ(one.settle(settle_sent(claimed)), SettleOutcome::stale) << "the dead one comes back too late";
  EXPECT_EQ(status(id), "queued");
}

TEST_P(Instances, OnlyTheDeadInstancesJobsAreRescued) {
  if (!on_postgres()) GTEST_SKIP() << "SQLite has one instance";
  const std::vector<JobId> ids = accepted_many(4);
  Worker one = worker("one");
  Worker two = worker("two");
  one.claim(2);
  two.claim(2);
  travel(seconds{10});
  must(care().heartbeat(two.epoch(), seconds{15}, true));
  travel(seconds{10});
  EXPECT_EQ(rescue().changed, 2);
  EXPECT_EQ(status(ids[0]), "queued");
  EXPECT_EQ(status(ids[3]), "dispatching");
  EXPECT_EQ(count("instances"), 1) << "a dead instance without rows is forgotten";
}

TEST_P(Instances, MailsOfADeadInstanceAreOrphansUntilSomebodySettlesThem) {
  const std::vector<JobId> ids = accepted_many(3);
  Worker one = worker("one");
  const std::vector<ClaimedJob> claimed = one.claim(3);
  EXPECT_TRUE(must(care().orphans("", 10)).empty()) << "still alive";
  travel(seconds{16});
  const RescueParams spare{.spare_mails = true};
  EXPECT_EQ(rescue(spare).changed, 0);
  EXPECT_EQ(must(care().orphans("", 2)).size(), 2U);
  const std::vector<ClaimedJob> orphans = must(care().orphans("", 10));
  EXPECT_EQ(ids_of(orphans), ids);
  EXPECT_EQ(orphans[0].token, claimed[0].token);
  EXPECT_EQ(orphans[0].lane, claimed[0].lane);
  EXPECT_EQ(orphans[0].job.pool, claimed[0].job.pool);
  EXPECT_EQ(orphans[0].job.client, claimed[0].job.client);
  // The token they were leased under is still the one that settles.
  EXPECT_EQ(one.settle(settle_sent(orphans[0])), SettleOutcome::settled);
  EXPECT_EQ(must(care().orphans("", 10)).size(), 2U);
}

TEST_P(Instances, AnEarlierLifeOfAnInstanceIsItsOwnBeforeItsLeaseIsOver) {
  const JobId id = accepted(new_mail());
  Worker one = worker("one");
  one.claim_only();
  EXPECT_TRUE(must(care().orphans("another", 10)).empty());
  EXPECT_EQ(rescue({.of_instance = "another"}).changed, 0);
  EXPECT_EQ(ids_of(must(care().orphans("one", 10))), std::vector{id});
  EXPECT_EQ(rescue({.of_instance = "one"}).changed, 1);
  EXPECT_EQ(status(id), "queued");
  EXPECT_EQ(job(id).losses, 1);
  EXPECT_TRUE(must(care().orphans("one", 10)).empty());
}

TEST_P(Instances, ARestartUnderTheSameNameFreesAtOnce) {
  const JobId id = accepted(new_mail());
  Worker before = worker("one");
  before.claim_only();
  Worker after = worker("one");
  EXPECT_EQ(rescue().changed, 1);
  EXPECT_EQ(status(id), "queued");
  EXPECT_FALSE(must(care().heartbeat(before.epoch(), seconds{15}, true)).alive);
  EXPECT_TRUE(must(care().heartbeat(after.epoch(), seconds{15}, true)).alive);
  EXPECT_EQ(after.settle(settle_sent(after.claim_only())), SettleOutcome::settled);
}

TEST_P(Instances, AnInstanceThatEndedIsNotAlive) {
  Worker one = worker();
  must(care().end_instance(one.epoch()));
  EXPECT_FALSE(must(care().heartbeat(one.epoch(), seconds{15}, true)).alive);
  EXPECT_TRUE(care().end_instance(one.epoch())) << "ending twice is fine";
}

TEST_P(Instances, WhatAnEndedInstanceStillHeldIsRescued) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.claim_only();
  must(care().end_instance(one.epoch()));
  rescue();
  EXPECT_EQ(status(id), "queued");
}

TEST_P(Instances, TheTenthLossIsTheLast) {
  const JobId id = accepted(new_mail());
  for (int loss = 1; loss <= 10; ++loss) {
    Worker one = worker("crashing");
    one.claim_only();
    travel(minutes{1});
    const SweepResult rescued = rescue();
    EXPECT_EQ(rescued.changed, 1) << "loss " << loss;
    EXPECT_EQ(rescued.failed, loss == 10 ? 1 : 0) << "loss " << loss;
    EXPECT_EQ(job(id).losses, loss);
    EXPECT_EQ(status(id), loss == 10 ? "failed" : "queued");
  }
  const Job row = job(id);
  EXPECT_EQ(row.dead_reason, DeadReason::Abandoned);
  EXPECT_TRUE(about(row.finished_at, now()));
  EXPECT_EQ(row.retry_count, 0);
  const std::vector<StatusEvent> events = must(outbox().history(id)).events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].from, "QUEUED");
  EXPECT_EQ(events[1].to, "FAILED");
  EXPECT_EQ(events[1].reason, "worker lost 10 times");
  EXPECT_EQ(events[1].actor, "engine");
}

TEST_P(Instances, TheTenthLossAfterARetrySaysSo) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.settle(settle_retry(one.claim_only(), seconds{0}));
  sql("UPDATE outbox SET losses = 9");
  one.claim_only();
  travel(minutes{1});
  EXPECT_EQ(rescue().failed, 1);
  EXPECT_EQ(moves(id).back(), "RETRY_PENDING -> FAILED");
}

TEST_P(Instances, ReconcileFreesWhatTheInstanceDoesNotHold) {
  const std::vector<JobId> ids = accepted_many(4);
  Worker one = worker();
  ASSERT_EQ(one.claim().size(), 4U);
  const std::vector<JobId> held{ids[1], ids[3]};
  EXPECT_EQ(must(care().reconcile(one.epoch(), held)), 2);
  EXPECT_EQ(status(ids[0]), "queued");
  EXPECT_EQ(status(ids[1]), "dispatching");
  EXPECT_EQ(status(ids[2]), "queued");
  EXPECT_EQ(status(ids[3]), "dispatching");
  EXPECT_EQ(job(ids[0]).losses, 0) << "burns nothing";
  EXPECT_EQ(must(care().reconcile(one.epoch(), held)), 0);
  EXPECT_EQ(ids_of(one.claim()), (std::vector{ids[0], ids[2]}));
}

TEST_P(Instances, ReconcileLeavesOthersAlone) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.claim_only();
  EXPECT_EQ(must(care().reconcile(Epoch{one.epoch().value() + 1}, {})), 0);
  EXPECT_EQ(status(id), "dispatching");
}

TEST_P(Instances, AReconciledGroupedJobKeepsItsTurn) {
  const JobId first = accepted(new_mail().in_group("g"));
  accepted(new_mail().in_group("g"));
  Worker one = worker();
  one.claim_only();
  EXPECT_EQ(must(care().reconcile(one.epoch(), {})), 1);
  EXPECT_TRUE(has_turn(first));
  EXPECT_EQ(ids_of(one.claim()), std::vector{first});
}

const std::vector<std::string> kBulk{"bulk"};

// The homes of limited pools; the pools come to be while instances run.
class PoolHomes : public StoreFixture {
 protected:
  void make_limited(const std::string& pool) {
    accepted(new_mail().in_pool(pool));
    sql("UPDATE dispatch_pools SET limited = true WHERE code = '" + pool + "'");
  }
  std::vector<std::string> homes(const Worker& worker, Duration lease = seconds{15}) {
    return must(care().heartbeat(worker.epoch(), lease, true)).home_pools;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, PoolHomes, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(PoolHomes, APoolHasOneHome) {
  make_limited("bulk");
  Worker one = worker("one");
  EXPECT_EQ(homes(one), kBulk);
  EXPECT_EQ(homes(one), kBulk) << "kept";
  if (!on_postgres()) return;  // a second instance on SQLite is always the first one's successor
  Worker two = worker("two");
  EXPECT_TRUE(homes(two).empty()) << "the first one lives";
  travel(seconds{10});
  homes(two, seconds{60});
  travel(seconds{10});
  EXPECT_EQ(homes(two), kBulk) << "failover after the lease";
  EXPECT_FALSE(must(care().heartbeat(one.epoch(), seconds{15}, true)).alive);
}

TEST_P(PoolHomes, AHomeIsHandedOverAtACleanStop) {
  make_limited("bulk");
  Worker one = worker("one");
  ASSERT_EQ(homes(one), kBulk);
  must(care().end_instance(one.epoch()));
  Worker two = worker("two");
  EXPECT_EQ(homes(two), kBulk);
}

TEST_P(PoolHomes, OnlyLimitedPoolsHaveOneAndAlsoThoseMadeLater) {
  accepted(new_mail().in_pool("free"));
  Worker one = worker();
  EXPECT_TRUE(homes(one).empty());
  make_limited("bulk");
  EXPECT_EQ(homes(one), kBulk);
  make_limited("a slow one");
  EXPECT_EQ(homes(one), (std::vector<std::string>{"a slow one", "bulk"}));
  sql("UPDATE dispatch_pools SET limited = false WHERE code = 'bulk'");
  EXPECT_EQ(homes(one), std::vector<std::string>{"a slow one"}) << "no longer limited: everybody's";
}

TEST_P(PoolHomes, AHomeThatMovesIsNoChangeForPeople) {
  make_limited("bulk");
  const std::string before = value("SELECT updated_at FROM dispatch_pools WHERE code = 'bulk'");
  travel(seconds{1});
  Worker one = worker();
  ASSERT_EQ(homes(one), kBulk);
  must(care().end_instance(one.epoch()));
  EXPECT_EQ(value("SELECT updated_at FROM dispatch_pools WHERE code = 'bulk'"), before);
}

}  // namespace
}  // namespace eilbote::test::instances_test
