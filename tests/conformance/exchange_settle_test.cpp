// Settling in exchange(): every decision is written as it was taken, guarded by the lease token.
#include "support/outbox_fixture.h"

namespace eilbote::test::exchange_settle_test {
namespace {

EILBOTE_ON_BOTH_STORES(ExchangeSettle);

TEST_P(ExchangeSettle, SentIsFinalAndClearsTheError) {
  const JobId id = accepted(new_mail().to("a@x.org"));
  Worker one = worker();
  one.settle(settle_retry(one.claim_only(), minutes{1}));
  ASSERT_EQ(job(id).last_error, "451 4.7.1 try later");
  travel(minutes{2});
  EXPECT_EQ(one.settle(settle_sent(one.claim_only())), SettleOutcome::settled);
  const JobRecord found = record(id);
  EXPECT_EQ(found.job.status, JobStatus::sent);
  EXPECT_EQ(found.job.last_error, "");
  EXPECT_EQ(found.job.retry_count, 1);
  EXPECT_EQ(found.job.attempts, 2);
  EXPECT_TRUE(about(found.job.finished_at, now()));
  EXPECT_TRUE(about(found.job.updated_at, now()));
  EXPECT_EQ(found.recipients,
            (std::vector{Recipient{RecipientKind::to, "a@x.org", RecipientStatus::taken, "250 ok"}}));
  EXPECT_EQ(found.provider_message_id, "captured");
  EXPECT_EQ(count("outbox WHERE lease_token IS NOT NULL"), 0);
  EXPECT_EQ(moves(id),
            (std::vector<std::string>{" -> QUEUED", "QUEUED -> RETRY_PENDING", "RETRY_PENDING -> SENT"}));
}

TEST_P(ExchangeSettle, ARetryIsDueAfterItsDelay) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  EXPECT_EQ(one.settle(settle_retry(one.claim_only(), hours{2})), SettleOutcome::settled);
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.retry_count, 1);
  EXPECT_EQ(row.attempts, 1);
  EXPECT_TRUE(about(row.next_attempt_at, now() + hours{2})) << "from the database's now";
  EXPECT_FALSE(row.finished_at);
  EXPECT_EQ(state(id), "RETRY_PENDING");
  EXPECT_TRUE(one.claim().empty()) << "not due";
  travel(hours{2} + minutes{1});
  EXPECT_EQ(ids_of(one.claim()), std::vector{id});
}

TEST_P(ExchangeSettle, ADeferralBurnsNothing) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.settle(settle_deferred(one.claim_only()));
  const Job row = job(id);
  EXPECT_EQ(row.retry_count, 0);
  EXPECT_EQ(row.deferrals, 1);
  EXPECT_EQ(row.attempts, 1);
  EXPECT_EQ(state(id), "RETRY_PENDING");
  EXPECT_TRUE(must(outbox().history(id)).attempts.at(0).deferral);
}

TEST_P(ExchangeSettle, APartialHandOverKeepsWhoWaits) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org"));
  Worker one = worker();
  one.settle(settle_partial(one.claim_only()));
  EXPECT_TRUE(job(id).partial);
  EXPECT_EQ(state(id), "RETRY_PENDING");
  const std::vector<Recipient> recipients = record(id).recipients;
  EXPECT_EQ(recipients.at(0).status, RecipientStatus::taken);
  EXPECT_EQ(recipients.at(1).status, RecipientStatus::waiting);
  EXPECT_EQ(must(outbox().load_contents(std::span(&id, 1), {})).mails.at(0).recipients, recipients)
      << "the courier sees the same";
  travel(minutes{2});
  Settlement rest = settle_sent(one.claim_only());
  rest.decision.recipients = {{1, RecipientStatus::refused, "550 no"}};
  one.settle(rest);
  EXPECT_EQ(record(id).recipients.at(1),
            (Recipient{RecipientKind::to, "b@x.org", RecipientStatus::refused, "550 no"}));
  EXPECT_EQ(record(id).recipients.at(0).status, RecipientStatus::taken);
}

TEST_P(ExchangeSettle, ARecipientsLaterResultReplacesTheEarlier) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  Settlement first = settle_retry(one.claim_only(), seconds{0});
  first.decision.recipients = {{0, RecipientStatus::waiting, "451 later"}};
  one.settle(first);
  EXPECT_EQ(record(id).recipients.at(0).reply, "451 later");
  one.settle(settle_sent(one.claim_only()));
  EXPECT_EQ(record(id).recipients.at(0).reply, "250 ok");
  EXPECT_EQ(count("recipients"), 1);
}

TEST_P(ExchangeSettle, FailedSaysWhy) {
  for (const auto& [reason, text] : kDeadReasonNames.entries) {
    const JobId id = accepted(new_mail());
    Worker one = worker();
    one.settle(settle_failed(one.claim_only(), reason));
    const Job row = job(id);
    EXPECT_EQ(row.status, JobStatus::failed);
    EXPECT_EQ(row.dead_reason, reason) << text;
    EXPECT_TRUE(about(row.finished_at, now()));
    EXPECT_EQ(state(id), "FAILED");
    travel(days{2});
    EXPECT_TRUE(one.claim().empty()) << "nothing retries a dead job by itself";
  }
}

TEST_P(ExchangeSettle, ReleasedLeavesNoTrace) {
  const JobId id = accepted(new_mail());
  const TimePoint due = job(id).next_attempt_at;
  Worker one = worker();
  EXPECT_EQ(one.settle(settle_released(one.claim_only())), SettleOutcome::settled);
  const Job row = job(id);
  EXPECT_EQ(row.status, JobStatus::queued);
  EXPECT_EQ(row.next_attempt_at, due) << "no delay: the due time stays";
  EXPECT_EQ(row.attempts, 0);
  EXPECT_EQ(row.retry_count, 0);
  EXPECT_TRUE(must(outbox().history(id)).attempts.empty());
  EXPECT_EQ(moves(id).size(), 1U);
  EXPECT_EQ(ids_of(one.claim()), std::vector{id});
}

TEST_P(ExchangeSettle, AnAttemptForgivesEarlierLossesAndAReleaseDoesNot) {
  const JobId id = accepted(new_mail());
  sql("UPDATE outbox SET losses = 4");
  Worker one = worker();
  one.settle(settle_released(one.claim_only()));
  EXPECT_EQ(job(id).losses, 4);
  one.settle(settle_retry(one.claim_only()));
  EXPECT_EQ(job(id).losses, 0);
}

TEST_P(ExchangeSettle, AnOldTokenChangesNothing) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  ClaimedJob claimed = one.claim_only();
  const LeaseToken right = claimed.token;
  claimed.token = LeaseToken{right.value() - 1};
  EXPECT_EQ(one.settle(settle_sent(claimed)), SettleOutcome::stale);
  EXPECT_EQ(status(id), "dispatching");
  EXPECT_EQ(count("attempts"), 0);
  EXPECT_EQ(count("recipients"), 0);
  EXPECT_EQ(moves(id).size(), 1U);
  claimed.token = right;
  EXPECT_EQ(one.settle(settle_sent(claimed)), SettleOutcome::settled);
}

TEST_P(ExchangeSettle, ALateWorkerCannotOverwriteTheNextOne) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const ClaimedJob late = one.claim_only();
  must(care().reconcile(one.epoch(), {}));
  const ClaimedJob next = one.claim_only();
  ASSERT_EQ(next.job.id, id);
  EXPECT_EQ(one.settle(settle_failed(late)), SettleOutcome::stale);
  EXPECT_EQ(status(id), "dispatching");
  EXPECT_EQ(one.settle(settle_sent(next)), SettleOutcome::settled);
  EXPECT_EQ(one.settle(settle_failed(late)), SettleOutcome::stale);
  EXPECT_EQ(state(id), "SENT");
}

TEST_P(ExchangeSettle, SettlingTwiceAnswersSettledBefore) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  const Settlement settlement = settle_retry(one.claim_only(), seconds{0});
  EXPECT_EQ(one.settle(settlement), SettleOutcome::settled);
  EXPECT_EQ(one.settle(settlement), SettleOutcome::settled_before);
  const ClaimedJob next = one.claim_only();
  EXPECT_EQ(one.settle(settlement), SettleOutcome::settled_before) << "also while the next attempt runs";
  EXPECT_EQ(status(id), "dispatching");
  EXPECT_EQ(one.settle(settle_sent(next)), SettleOutcome::settled);
  EXPECT_EQ(one.settle(settlement), SettleOutcome::settled_before);
  EXPECT_EQ(state(id), "SENT");
  EXPECT_EQ(count("attempts"), 2);
  EXPECT_EQ(moves(id).size(), 3U) << "no event twice";
}

TEST_P(ExchangeSettle, OutcomesComeInTheOrderAsked) {
  const std::vector<JobId> ids = accepted_many(3);
  Worker one = worker();
  const std::vector<ClaimedJob> claimed = one.claim();
  ASSERT_EQ(claimed.size(), 3U);
  one.settle(settle_sent(claimed[1]));
  ClaimedJob unknown = claimed[0];
  unknown.job.id = JobId{42};
  const ExchangeResult result = one.exchange(
      {settle_sent(claimed[2]), settle_sent(unknown), settle_sent(claimed[1]), settle_failed(claimed[0])});
  EXPECT_EQ(result.settled, (std::vector{SettleOutcome::settled, SettleOutcome::stale,
                                         SettleOutcome::settled_before, SettleOutcome::settled}));
  EXPECT_EQ(state(ids[2]), "SENT");
  EXPECT_EQ(state(ids[0]), "FAILED");
  EXPECT_FALSE(must(outbox().find(JobId{42}, std::nullopt)));
}

TEST_P(ExchangeSettle, GroupedAndUngroupedOutcomesKeepTheirOrderToo) {
  const JobId plain = accepted(new_mail());
  const JobId grouped = accepted(new_mail().in_group("g"));
  Worker one = worker();
  const std::vector<ClaimedJob> claimed = one.claim();
  ASSERT_EQ(claimed.size(), 2U);
  EXPECT_EQ(claimed[0].grouped, claimed[0].job.id == grouped);
  ClaimedJob stale = claimed[1];
  stale.token = LeaseToken{1};
  const ExchangeResult result =
      one.exchange({settle_sent(claimed[0]), settle_sent(stale), settle_sent(claimed[1])});
  EXPECT_EQ(result.settled,
            (std::vector{SettleOutcome::settled, SettleOutcome::stale, SettleOutcome::settled}));
  EXPECT_EQ(state(plain), "SENT");
  EXPECT_EQ(state(grouped), "SENT");
}

TEST_P(ExchangeSettle, FiveHundredAtOnce) {
  accepted_many(500);
  Worker one = worker();
  std::vector<Settlement> all;
  for (const ClaimedJob& claimed : one.claim(500))
    all.push_back(settle_sent(claimed));
  ASSERT_EQ(all.size(), 500U);
  for (const SettleOutcome outcome : one.exchange(all).settled)
    ASSERT_EQ(outcome, SettleOutcome::settled);
  EXPECT_EQ(count("outbox WHERE status = 'sent'"), 500);
  EXPECT_EQ(count("attempts"), 500);
}

}  // namespace
}  // namespace eilbote::test::exchange_settle_test
