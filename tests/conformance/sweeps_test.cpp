// Upkeep: expiry, retention and keys. (Rescue is in instances_test and foreign_workers_test, promotion in
// groups_test.)
#include "support/outbox_fixture.h"
#include "support/webhook_builder.h"

namespace eilbote::test::sweeps_test {
namespace {

class Sweeps : public StoreFixture {
 protected:
  JobId sent() {
    const JobId id = accepted(new_mail().keyed("key-" + std::to_string(++keys_)).tagged("t"));
    one().settle(settle_sent(one().claim_one(id).value()));
    return id;
  }
  JobId dead() {
    const JobId id = accepted(new_mail());
    one().settle(settle_failed(one().claim_one(id).value()));
    return id;
  }
  Worker& one() {
    if (!worker_) worker_ = std::make_unique<Worker>(outbox(), care(), "one", days{1000});
    return *worker_;
  }
  bool exists(JobId id) { return must(outbox().find(id, std::nullopt)).has_value(); }

 private:
  std::unique_ptr<Worker> worker_;
  int keys_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, Sweeps, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(Sweeps, WhatIsPastItsEndAndNotLeasedFails) {
  const JobId waiting = accepted(new_mail().expiring_at(now() + hours{1}));
  const JobId longer = accepted(new_mail().expiring_at(now() + hours{9}));
  const JobId endless = accepted(new_mail());
  const JobId leased = accepted(new_mail().expiring_at(now() + hours{1}));
  const ClaimedJob claimed = one().claim_one(leased).value();
  EXPECT_EQ(sweep(Sweep::expire).changed, 0);
  travel(hours{2});
  const SweepResult swept = sweep(Sweep::expire);
  EXPECT_EQ(swept.changed, 1);
  EXPECT_EQ(swept.failed, 1);
  const Job row = job(waiting);
  EXPECT_EQ(row.status, JobStatus::failed);
  EXPECT_EQ(row.dead_reason, DeadReason::Expired);
  EXPECT_EQ(row.last_error, "expired");
  EXPECT_TRUE(about(row.finished_at, now()));
  const StatusEvent event = must(outbox().history(waiting)).events.back();
  EXPECT_EQ(event.from + " -> " + event.to, "QUEUED -> FAILED");
  EXPECT_EQ(event.reason, "expired");
  EXPECT_EQ(event.actor, "engine");
  EXPECT_EQ(status(longer), "queued");
  EXPECT_EQ(status(endless), "queued");
  EXPECT_EQ(status(leased), "dispatching") << "a running attempt is not interrupted";
  EXPECT_EQ(one().settle(settle_sent(claimed)), SettleOutcome::settled);
}

TEST_P(Sweeps, SayHowManyOfTheDeadAreMails) {
  accepted(new_mail().expiring_at(now() + hours{1}));
  for (int i = 0; i < 2; ++i)
    accepted(WebhookBuilder(new_id()).expiring_at(now() + hours{1}));
  travel(hours{2});
  const SweepResult swept = sweep(Sweep::expire);
  EXPECT_EQ(swept.failed, 3);
  EXPECT_EQ(swept.failed_mails, 1);
}

TEST_P(Sweeps, ARetriedJobExpiresWithItsOwnError) {
  const JobId id = accepted(new_mail().expiring_at(now() + hours{1}));
  one().settle(settle_retry(one().claim_only(), hours{5}));
  travel(hours{2});
  EXPECT_EQ(sweep(Sweep::expire).changed, 1);
  EXPECT_EQ(job(id).last_error, "451 4.7.1 try later") << "the reason it was still here";
  EXPECT_EQ(moves(id).back(), "RETRY_PENDING -> FAILED");
}

TEST_P(Sweeps, BlockedAndPublishedJobsExpireToo) {
  accepted(new_mail().in_group("g"));
  const JobId blocked = accepted(new_mail().in_group("g").expiring_at(now() + hours{1}));
  const JobId published = accepted(new_mail().expiring_at(now() + hours{1}));
  sql("UPDATE outbox SET status = 'published' WHERE id = " + std::to_string(published.value()));
  travel(hours{2});
  EXPECT_EQ(sweep(Sweep::expire).changed, 2);
  EXPECT_EQ(job(blocked).dead_reason, DeadReason::Expired);
  EXPECT_EQ(job(published).dead_reason, DeadReason::Expired);
}

TEST_P(Sweeps, APartlyHandedOverMailExpiresAsSent) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org").expiring_at(now() + hours{1}));
  one().settle(settle_partial(one().claim_only(), hours{5}));
  travel(hours{2});
  const SweepResult swept = sweep(Sweep::expire);
  EXPECT_EQ(swept.changed, 1);
  EXPECT_EQ(swept.failed, 0);
  const JobRecord found = record(id);
  EXPECT_EQ(found.job.status, JobStatus::sent);
  EXPECT_FALSE(found.job.dead_reason);
  EXPECT_EQ(found.recipients.at(0).status, RecipientStatus::taken);
  EXPECT_EQ(found.recipients.at(1).status, RecipientStatus::refused);
  EXPECT_EQ(found.recipients.at(1).reply, "expired");
  EXPECT_EQ(moves(id).back(), "RETRY_PENDING -> SENT");
}

TEST_P(Sweeps, FinishedJobsGoAfterThirtyDaysDeadOnesAfterNinety) {
  const JobId a = sent();
  const JobId b = accepted(new_mail());
  act(b, Act::cancel);
  const JobId c = dead();
  const JobId waiting = accepted(new_mail());
  travel(days{29});
  EXPECT_EQ(sweep(Sweep::retain).changed, 0);
  travel(days{2});
  EXPECT_EQ(sweep(Sweep::retain).changed, 2);
  EXPECT_FALSE(exists(a));
  EXPECT_FALSE(exists(b));
  EXPECT_TRUE(exists(c));
  travel(days{58});
  EXPECT_EQ(sweep(Sweep::retain).changed, 0);
  travel(days{2});
  EXPECT_EQ(sweep(Sweep::retain).changed, 1);
  EXPECT_FALSE(exists(c));
  EXPECT_TRUE(exists(waiting)) << "what still waits is never deleted";
}

TEST_P(Sweeps, RetentionIsASetting) {
  sent();
  dead();
  travel(days{3});
  EXPECT_EQ(
      must(care().sweep({.sweep = Sweep::retain, .retention = days{2}, .retention_dead = days{4}})).changed,
      1);
  EXPECT_EQ(
      must(care().sweep({.sweep = Sweep::retain, .retention = days{2}, .retention_dead = days{2}})).changed,
      1);
}

TEST_P(Sweeps, RetentionTakesEveryRecordAlong) {
  const JobId gone = sent();
  const JobId kept = accepted(new_mail().tagged("t"));
  travel(days{31});
  EXPECT_EQ(sweep(Sweep::retain).changed, 1);
  const std::string id = std::to_string(gone.value());
  for (const char* table :
       {"outbox WHERE id = ", "messages WHERE id = ", "facets WHERE id = ", "attempts WHERE job_id = ",
        "recipients WHERE job_id = ", "mail_status WHERE job_id = "})
    EXPECT_EQ(count(table + id), 0) << table;
  EXPECT_EQ(count("messages"), 1);
  EXPECT_GT(count("facets"), 0);
  EXPECT_EQ(count("mail_status"), 1);
  EXPECT_TRUE(exists(kept));
  EXPECT_TRUE(must(outbox().history(gone)).events.empty());
}

TEST_P(Sweeps, ADeadBlockOnErrorHolderThatIsDeletedReleasesItsGroup) {
  accepted(new_mail().blocking_group("g"));
  one().settle(settle_failed(one().claim_only()));
  const JobId next = accepted(new_mail().blocking_group("g"));
  ASSERT_EQ(status(next), "blocked");
  travel(days{91});
  EXPECT_EQ(sweep(Sweep::retain).changed, 1);
  sweep(Sweep::promote);
  EXPECT_TRUE(has_turn(next));
}

TEST_P(Sweeps, ASweepTakesAtMostRowsMax) {
  for (int i = 0; i < 5; ++i)
    accepted(new_mail().expiring_at(now() + hours{1}));
  travel(hours{2});
  const SweepParams two{.sweep = Sweep::expire, .rows_max = 2};
  SweepResult swept = must(care().sweep(two));
  EXPECT_EQ(swept.changed, 2);
  EXPECT_TRUE(swept.more);
  EXPECT_EQ(must(care().sweep(two)).changed, 2);
  swept = must(care().sweep(two));
  EXPECT_EQ(swept.changed, 1);
  EXPECT_FALSE(swept.more);
  EXPECT_EQ(must(care().sweep(two)).changed, 0);
}

TEST_P(Sweeps, RescueAndRetentionComeInPortionsToo) {
  const std::vector<JobId> ids = accepted_many(5);
  Worker crashed = worker("crashed");
  ASSERT_EQ(crashed.claim().size(), 5U);
  travel(minutes{1});
  const RescueParams two{.rows_max = 2};
  EXPECT_TRUE(rescue(two).more);
  EXPECT_TRUE(rescue(two).more);
  EXPECT_EQ(rescue(two).changed, 1);
  EXPECT_EQ(count("outbox WHERE status = 'queued'"), 5);
  for (const JobId id : ids)
    act(id, Act::cancel);
  travel(days{31});
  int deleted = 0;
  for (SweepResult swept{.more = true}; swept.more; deleted += swept.changed)
    swept = must(care().sweep({.sweep = Sweep::retain, .rows_max = 2}));
  EXPECT_EQ(deleted, 5);
}

TEST_P(Sweeps, KeysGoAfterTheirDay) {
  accepted(new_mail().keyed("key-old"));
  travel(hours{20});
  accepted(new_mail().keyed("key-new"));
  EXPECT_EQ(sweep(Sweep::keys).changed, 0);
  travel(hours{5});
  EXPECT_EQ(sweep(Sweep::keys).changed, 1);
  EXPECT_EQ(value("SELECT key FROM idempotency_keys"), "key-new");
  EXPECT_EQ(count("outbox"), 2) << "the jobs stay";
}

TEST_P(Sweeps, AnEmptyStoreSweepsToNothing) {
  std::vector<SweepResult> all{rescue()};
  for (const Sweep what : {Sweep::rescue_foreign, Sweep::expire, Sweep::exhaust, Sweep::promote,
                           Sweep::retain, Sweep::keys, Sweep::reports, Sweep::unpublish})
    all.push_back(sweep(what));
  for (const SweepResult& swept : all) {
    EXPECT_EQ(swept.changed + swept.failed, 0);
    EXPECT_FALSE(swept.more);
    EXPECT_TRUE(swept.lanes.empty());
  }
}

}  // namespace
}  // namespace eilbote::test::sweeps_test
