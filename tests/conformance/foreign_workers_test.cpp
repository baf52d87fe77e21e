// Foreign workers: programs that claim and settle rows by their own SQL, without a token. Their claims are
// respected, recovered when they die, and what they write through mail_outbox is what the public state
// follows.
#include "support/outbox_fixture.h"

namespace eilbote::test::foreign_workers_test {
namespace {

class ForeignWorkers : public StoreFixture {
 protected:
  // On PostgreSQL the view is updatable, and that is how foreign workers come; SQLite's readers use the
  // table.
  std::string table() const { return on_postgres() ? "mail_outbox" : "outbox"; }
  void foreign_claim(JobId id, const std::string& status = "dispatching") {
    ASSERT_EQ(sql("UPDATE " + table() + " SET status = '" + status + "', last_attempt_at = " +
                  sql_time(now()) + " WHERE status = 'queued' AND id = " + std::to_string(id.value())),
              1);
  }
  void foreign_settle(JobId id, const std::string& set) {
    ASSERT_EQ(sql("UPDATE " + table() + " SET " + set + " WHERE id = " + std::to_string(id.value())), 1);
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, ForeignWorkers, ::testing::Values("sqlite", "postgres"), store_name);

TEST_P(ForeignWorkers, TheirClaimIsRespected) {
  for (const char* word : {"dispatching", "in_flight"}) {
    const JobId id = accepted(new_mail());
    foreign_claim(id, word);
    Worker one = worker();
    EXPECT_TRUE(one.claim({ClaimLane{lane_of(), 10, {}}}).empty()) << word;
    EXPECT_FALSE(one.claim_one(id)) << word;
    EXPECT_EQ(act(id, Act::cancel).kind, ActKind::refused) << word;
    EXPECT_EQ(act(id, Act::abandon).kind, ActKind::refused) << word;
    EXPECT_EQ(state(id), "QUEUED") << word;
    EXPECT_EQ(status(id), word);
    EXPECT_EQ(rescue().changed, 0) << word;
    EXPECT_EQ(sweep(Sweep::rescue_foreign).changed, 0) << word << " has five minutes";
    foreign_settle(id, "status = 'sent'");
  }
}

TEST_P(ForeignWorkers, AnAbandonedClaimIsFreeAfterFiveMinutes) {
  for (const char* word : {"dispatching", "in_flight"}) {
    const JobId id = accepted(new_mail());
    foreign_claim(id, word);
    travel(minutes{4});
    EXPECT_EQ(sweep(Sweep::rescue_foreign).changed, 0);
    travel(minutes{2});
    const SweepResult rescued = sweep(Sweep::rescue_foreign);
    EXPECT_EQ(rescued.changed, 1) << word;
    EXPECT_EQ(rescued.lanes, std::vector{lane_of()});
    EXPECT_EQ(status(id), "queued");
    EXPECT_EQ(job(id).retry_count, 0);
    Worker one = worker();
    EXPECT_EQ(one.settle(settle_sent(one.claim_only())), SettleOutcome::settled);
  }
}

TEST_P(ForeignWorkers, TheLeaseOfAForeignClaimIsASetting) {
  const JobId id = accepted(new_mail());
  foreign_claim(id);
  travel(minutes{2});
  EXPECT_EQ(must(care().sweep({.sweep = Sweep::rescue_foreign, .foreign_lease = minutes{3}})).changed, 0);
  EXPECT_EQ(must(care().sweep({.sweep = Sweep::rescue_foreign, .foreign_lease = minutes{1}})).changed, 1);
  EXPECT_EQ(status(id), "queued");
}

TEST_P(ForeignWorkers, OurOwnLeasesAreNotForeign) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.claim_only();
  travel(hours{1});
  EXPECT_EQ(sweep(Sweep::rescue_foreign).changed, 0);
  EXPECT_EQ(status(id), "dispatching");
}

TEST_P(ForeignWorkers, WhatTheySettleIsThePublicState) {
  const JobId sent = accepted(new_mail());
  foreign_claim(sent);
  foreign_settle(sent, "status = 'sent', last_error = NULL");
  EXPECT_EQ(state(sent), "SENT");

  const JobId retried = accepted(new_mail());
  foreign_claim(retried);
  foreign_settle(
      retried,
      "status = 'queued', retry_count = retry_count + 1, last_error = '451 later', next_attempt_at = " +
          sql_time(now() + hours{1}));
  EXPECT_EQ(state(retried), "RETRY_PENDING");
  EXPECT_EQ(job(retried).last_error, "451 later");
  Worker one = worker();
  EXPECT_TRUE(one.claim().empty());
  travel(hours{2});
  const ClaimedJob claimed = one.claim_only();
  EXPECT_EQ(claimed.job.id, retried);
  EXPECT_EQ(claimed.job.retry_count, 1) << "Eilbote counts on from there";

  const JobId failed = accepted(new_mail());
  foreign_claim(failed);
  foreign_settle(failed, "status = 'failed', last_error = '550 no'");
  EXPECT_EQ(state(failed), "FAILED");
  EXPECT_EQ(act(failed, Act::retry).kind, ActKind::done);
  EXPECT_EQ(ids_of(one.claim()), std::vector{failed});
}

TEST_P(ForeignWorkers, AJobTheyUsedUpIsMovedToFailed) {
  const JobId id = accepted(new_mail().attempts_max(2));
  foreign_claim(id);
  foreign_settle(id, "status = 'queued', retry_count = 2, last_error = '451 later', next_attempt_at = " +
                         sql_time(now() + hours{1}));
  EXPECT_EQ(state(id), "RETRY_PENDING");
  const SweepResult swept = sweep(Sweep::exhaust);
  const bool before_due = swept.changed == 1;
  if (!before_due) {
    travel(hours{2});
    ASSERT_EQ(sweep(Sweep::exhaust).changed, 1) << "at the latest when it would be due";
  }
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::failed);
  EXPECT_EQ(row.dead_reason, DeadReason::MaxAttemptsExceeded);
  EXPECT_EQ(row.last_error, "451 later");
  EXPECT_TRUE(row.finished_at);
  EXPECT_EQ(moves(id).back(), "RETRY_PENDING -> FAILED");
  EXPECT_EQ(sweep(Sweep::exhaust).changed, 0);
}

TEST_P(ForeignWorkers, JobsWithAttemptsLeftAreNotExhausted) {
  accepted(new_mail());
  const JobId id = accepted(new_mail().attempts_max(3));
  sql("UPDATE outbox SET retry_count = 2 WHERE id = " + std::to_string(id.value()));
  EXPECT_EQ(sweep(Sweep::exhaust).changed, 0);
}

TEST_P(ForeignWorkers, WhatTheyFinishedIsDeletedInTimeToo) {
  if (!on_postgres())
    GTEST_SKIP() << "on SQLite the engine has the file to itself: nobody else finishes a job";
  const JobId id = accepted(new_mail());
  foreign_claim(id);
  foreign_settle(id, "status = 'sent'");
  EXPECT_EQ(sweep(Sweep::retain).changed, 0);
  travel(days{31});
  // A first pass may only note that the row is finished; it must not stay for ever.
  sweep(Sweep::retain);
  travel(days{31});
  sweep(Sweep::retain);
  EXPECT_EQ(count("outbox"), 0);
}

TEST_P(ForeignWorkers, TheViewShowsMailOnlyAndTheColumnsOfTheSeed) {
  const JobId id = accepted(new_mail().attempts_max(4));
  const std::vector<SqlRow> seen =
      rows("SELECT id, status, retry_count, max_attempts, last_error FROM mail_outbox");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0], (SqlRow{std::to_string(id.value()), "queued", "0", "4", "NULL"}));
}

TEST_P(ForeignWorkers, TheEmailLogShowsTheSameRowsInItsOwnWords) {
  Worker one = worker();
  const auto shown = [&](JobId id) {
    const std::string job_id = to_text(id);
    return value(R"(SELECT "Status" FROM email_log WHERE "EmailId" = ')" + job_id + "'");
  };
  const JobId id = accepted(new_mail().keyed("order-1001"));
  EXPECT_EQ(shown(id), "Pending");
  const ClaimedJob claimed = one.claim_only();
  EXPECT_EQ(shown(id), "Sending");
  EXPECT_NE(value(R"(SELECT "LockedUntil" FROM email_log)"), "NULL") << "the lease's end";
  one.settle(settle_retry(claimed, seconds{0}));
  EXPECT_EQ(shown(id), "Failed");
  EXPECT_EQ(value(R"(SELECT "LockedUntil" FROM email_log)"), "NULL");
  EXPECT_EQ(value(R"(SELECT "AttemptCount" FROM email_log)"), "1");
  EXPECT_EQ(value(R"(SELECT "MessageKey" FROM email_log)"), "order-1001");
  one.settle(settle_failed(one.claim_only(), DeadReason::PermanentFailure));
  EXPECT_EQ(shown(id), "Dead");
  EXPECT_EQ(value(R"(SELECT "DeadReason" FROM email_log)"), "PermanentFailure");
  act(id, Act::retry);
  EXPECT_EQ(shown(id), "Pending");
  one.settle(settle_sent(one.claim_only()));
  EXPECT_EQ(shown(id), "Sent");
  EXPECT_NE(value(R"(SELECT "SentAt" FROM email_log)"), "NULL");
  const JobId cancelled = accepted(new_mail());
  act(cancelled, Act::cancel);
  EXPECT_EQ(shown(cancelled), "Cancelled");
}

}  // namespace
}  // namespace eilbote::test::foreign_workers_test
