// What clients and operators do to a job: cancel, retry, abandon, in every state; and what each leaves on the
// row, on the record and in the audit log.
#include "support/outbox_fixture.h"

namespace eilbote::test::acts_test {
namespace {

EILBOTE_ON_BOTH_STORES(Acts);

struct ActCase {
  const char* found_as;  // the row, as SQL
  ActKind cancel, retry, abandon;
};

TEST_P(Acts, EveryActInEveryStatus) {
  constexpr auto done = ActKind::done, refused = ActKind::refused;
  const std::vector<ActCase> table{
      {"status = 'queued'", done, refused, done},
      {"status = 'queued', retry_count = 2", done, refused, done},
      {"status = 'queued', partial = true", refused, refused, refused},
      {"status = 'publishing', lease_token = 1", done, refused, done},
      {"status = 'publishing', lease_token = 1, partial = true", refused, refused, refused},
      {"status = 'published'", done, refused, done},
      {"status = 'dispatching'", refused, refused, refused},
      {"status = 'in_flight'", refused, refused, refused},
      {"status = 'sent'", refused, refused, refused},
      {"status = 'sent', report = 'delivered'", refused, refused, refused},
      {"status = 'sent', report = 'bounced'", refused, done, refused},
      {"status = 'failed', dead_reason = 'PermanentFailure'", refused, done, refused},
      {"status = 'cancelled'", refused, refused, refused},
  };
  for (const ActCase& row : table)
    for (const auto& [what, expected] : {std::pair{Act::cancel, row.cancel}, std::pair{Act::retry, row.retry},
                                         std::pair{Act::abandon, row.abandon}}) {
      const JobId id = accepted(new_mail());
      sql(std::string("UPDATE outbox SET ") + row.found_as + " WHERE id = " + std::to_string(id.value()));
      const std::string before = status(id);
      const ActOutcome outcome = act(id, what);
      EXPECT_EQ(outcome.kind, expected) << row.found_as << ", act " << static_cast<int>(what);
      EXPECT_EQ(outcome.id, id);
      EXPECT_EQ(outcome.job.id, id);
      EXPECT_EQ(outcome.job.status, job(id).status) << "done: as it is now; refused: as it was found";
      if (expected == refused) {
        EXPECT_EQ(status(id), before) << row.found_as;
        EXPECT_EQ(moves(id).size(), 1U) << row.found_as;
      }
    }
}

TEST_P(Acts, CancelledIsFinalAndOnRecord) {
  const JobId id = accepted(new_mail());
  const ActOutcome outcome = act(id, Act::cancel, "shop");
  EXPECT_EQ(outcome.kind, ActKind::done);
  EXPECT_EQ(outcome.job.status, JobStatus::cancelled);
  EXPECT_TRUE(about(job(id).finished_at, now()));
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_TRUE(worker().claim({ClaimLane{lane_of(), 10, {}}}).empty());
  const StatusEvent event = must(outbox().history(id)).events.back();
  EXPECT_EQ(event.from, "QUEUED");
  EXPECT_EQ(event.to, "CANCELLED");
  EXPECT_EQ(event.actor, "shop");
  EXPECT_EQ(event.trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(count("audit_log"), 0) << "a client's own acts are not an operator's";
  EXPECT_EQ(act(id, Act::cancel, "shop").kind, ActKind::refused) << "only once";
  EXPECT_EQ(moves(id).size(), 2U);
}

TEST_P(Acts, CancelAfterAFailedAttemptSaysSo) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.settle(settle_retry(one.claim_only()));
  ASSERT_EQ(act(id, Act::cancel, "shop").kind, ActKind::done);
  EXPECT_EQ(moves(id).back(), "RETRY_PENDING -> CANCELLED");
}

TEST_P(Acts, AbandonedIsDeadByAnOperator) {
  const JobId id = accepted(new_mail());
  const ActOutcome outcome = act(id, Act::abandon);
  EXPECT_EQ(outcome.kind, ActKind::done);
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::failed);
  EXPECT_EQ(row.dead_reason, DeadReason::Abandoned);
  EXPECT_TRUE(about(row.finished_at, now()));
  EXPECT_EQ(moves(id).back(), "QUEUED -> FAILED");
  EXPECT_EQ(count("audit_log WHERE actor = 'operator' AND job_id = " + std::to_string(id.value())), 1);
}

TEST_P(Acts, RetryGivesAFreshBudget) {
  const JobId id = accepted(new_mail().attempts_max(2).to("a@x.org").to("b@x.org").to("c@x.org"));
  Worker one = worker();
  one.settle(settle_deferred(one.claim_only(), seconds{0}));
  Settlement dead = settle_failed(one.claim_only(), DeadReason::MaxAttemptsExceeded);
  dead.decision.deferrals = 3;
  dead.decision.recipients = {{0, RecipientStatus::refused, "550"},
                              {2, RecipientStatus::suppressed, "on the list"}};
  one.settle(dead);
  sql("UPDATE outbox SET losses = 5");
  travel(days{1});

  const ActOutcome outcome = act(id, Act::retry);
  EXPECT_EQ(outcome.kind, ActKind::done);
  EXPECT_EQ(outcome.lane, lane_of());
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.retry_count, 0);
  EXPECT_EQ(row.deferrals, 0);
  EXPECT_EQ(row.losses, 0);
  EXPECT_EQ(row.attempts, 2) << "attempts stay on record and are numbered on";
  EXPECT_EQ(row.last_error, "");
  EXPECT_FALSE(row.dead_reason || row.finished_at || row.report);
  EXPECT_TRUE(about(row.next_attempt_at, now()));
  EXPECT_EQ(state(id), "QUEUED");
  EXPECT_EQ(moves(id).back(), "FAILED -> QUEUED");
  EXPECT_EQ(record(id).recipients.at(0).status, RecipientStatus::waiting) << "a refused one waits again";
  EXPECT_EQ(record(id).recipients.at(2).status, RecipientStatus::waiting)
      << "so does a suppressed one: the list is asked again";
  EXPECT_EQ(count("audit_log WHERE act = 'retry'"), 1);
  EXPECT_EQ(one.claim_only().job.id, id);
}

TEST_P(Acts, RetryOfABouncedMailSendsItAgain) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org"));
  Worker one = worker();
  Settlement sent = settle_sent(one.claim_only());
  sent.decision.recipients = {{0, RecipientStatus::bounced, "550"}, {1, RecipientStatus::delivered, "250"}};
  one.settle(sent);
  sql("UPDATE outbox SET report = 'bounced'");
  ASSERT_EQ(state(id), "BOUNCED");
  EXPECT_EQ(act(id, Act::retry).kind, ActKind::done);
  EXPECT_FALSE(job(id).report);
  EXPECT_EQ(moves(id).back(), "BOUNCED -> QUEUED");
  EXPECT_EQ(record(id).recipients.at(0).status, RecipientStatus::waiting);
  EXPECT_EQ(record(id).recipients.at(1).status, RecipientStatus::delivered)
      << "whoever has it does not get it twice";
}

TEST_P(Acts, RetryOfAnExpiredJobGivesItFiveMoreDays) {
  const JobId id = accepted(new_mail().expiring_at(now() + hours{1}));
  travel(hours{2});
  ASSERT_EQ(sweep(Sweep::expire).changed, 1);
  ASSERT_EQ(act(id, Act::retry).kind, ActKind::done);
  EXPECT_TRUE(about(job(id).expires_at, now() + days{5}));
  EXPECT_EQ(sweep(Sweep::expire).changed, 0);
  EXPECT_EQ(status(id), "queued");
}

TEST_P(Acts, RetryKeepsAnExpiryStillAhead) {
  const JobId id = accepted(new_mail().expiring_at(now() + days{3}));
  Worker one = worker();
  one.settle(settle_failed(one.claim_only()));
  const std::optional<TimePoint> before = job(id).expires_at;
  act(id, Act::retry);
  EXPECT_EQ(job(id).expires_at, before);
}

TEST_P(Acts, AnotherClientsJobIsNotFound) {
  const JobId id = accepted(new_mail().from_client("shop"));
  accepted(new_mail().from_client("billing"));
  for (const Act what : {Act::cancel, Act::retry, Act::abandon}) {
    EXPECT_EQ(act(id, what, "billing").kind, ActKind::not_found);
    EXPECT_EQ(act(id, what, "never heard of").kind, ActKind::not_found);
    EXPECT_EQ(act(JobId{42}, what).kind, ActKind::not_found);
  }
  EXPECT_EQ(status(id), "queued");
  EXPECT_EQ(count("audit_log"), 0);
}

TEST_P(Acts, ManyAtOnceAnswerInTheirOrder) {
  const std::vector<JobId> ids = accepted_many(3);
  Worker one = worker();
  ASSERT_TRUE(one.claim_one(ids[1]));
  const std::vector<JobId> asked{ids[2], JobId{42}, ids[1], ids[0]};
  const std::vector<ActOutcome> outcomes = must(outbox().act(
      asked, ActRequest{.act = Act::cancel, .client = ClientName{"shop"}, .actor = "shop", .trace_id = ""}));
  ASSERT_EQ(outcomes.size(), 4U);
  const std::vector expected{ActKind::done, ActKind::not_found, ActKind::refused, ActKind::done};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(outcomes[i].id, asked[i]);
    EXPECT_EQ(outcomes[i].kind, expected[i]) << "item " << i;
  }
}

TEST_P(Acts, ACancelledJobCannotBeSettled) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob claimed = one.claim_only();
  must(care().reconcile(one.epoch(), {}));
  ASSERT_EQ(act(id, Act::cancel).kind, ActKind::done);
  EXPECT_EQ(one.settle(settle_sent(claimed)), SettleOutcome::stale);
  EXPECT_EQ(state(id), "CANCELLED");
}

}  // namespace
}  // namespace eilbote::test::acts_test
