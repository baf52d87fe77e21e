// Attempts and status events as history() and find() show them.
#include "support/outbox_fixture.h"

namespace eilbote::test::attempts_on_record_test {
namespace {

EILBOTE_ON_BOTH_STORES(AttemptsOnRecord);

TEST_P(AttemptsOnRecord, EveryFieldOfAnAttemptComesBack) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  Settlement settlement = settle_retry(one.claim_only());
  Attempt& written = *settlement.attempt;
  written.attempted_at = now() - milliseconds{1500};
  written.completed_at = now();
  written.duration = milliseconds{1500};
  written.status = AttemptStatus::TIMEOUT;
  written.route = "relay-1";
  written.response_code = 504;
  one.settle(settlement);

  const std::vector<Attempt> attempts = must(outbox().history(id)).attempts;
  ASSERT_EQ(attempts.size(), 1U);
  const Attempt& read = attempts[0];
  EXPECT_EQ(read.number, 1);
  EXPECT_EQ(read.token, settlement.token);
  EXPECT_EQ(read.attempted_at, written.attempted_at);
  EXPECT_EQ(read.completed_at, written.completed_at);
  EXPECT_EQ(read.duration, milliseconds{1500});
  EXPECT_EQ(read.status, AttemptStatus::TIMEOUT);
  EXPECT_EQ(read.route, "relay-1");
  EXPECT_EQ(read.code, "SMTP_451");
  EXPECT_EQ(read.verdict, Verdict::transient);
  EXPECT_EQ(read.smtp_code, 451);
  EXPECT_EQ(read.enhanced_code, "4.7.1");
  EXPECT_EQ(read.response_code, 504);
  EXPECT_EQ(read.error_message, "451 4.7.1 try later");
  EXPECT_EQ(read.error_type, ErrorType::TRANSIENT);
  EXPECT_FALSE(read.deferral);
}

TEST_P(AttemptsOnRecord, EveryEnumOfAnAttemptComesBack) {
  const JobId id = accepted(new_mail().attempts_max(100));
  Worker one = worker();
  for (const auto& [status, status_text] : kAttemptStatusNames.entries)
    for (const auto& [verdict, verdict_text] : kVerdictNames.entries) {
      Settlement settlement = settle_retry(one.claim_only(), seconds{0});
      settlement.attempt->status = status;
      settlement.attempt->verdict = verdict;
      ASSERT_EQ(one.settle(settlement), SettleOutcome::settled) << status_text << " " << verdict_text;
      const Attempt read = must(outbox().history(id)).attempts.back();
      EXPECT_EQ(read.status, status);
      EXPECT_EQ(read.verdict, verdict);
    }
}

TEST_P(AttemptsOnRecord, ASuccessHasNoErrorFields) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.settle(settle_sent(one.claim_only()));
  const Attempt read = must(outbox().history(id)).attempts.at(0);
  EXPECT_EQ(read.status, AttemptStatus::SUCCESS);
  EXPECT_EQ(read.verdict, Verdict::delivered);
  EXPECT_EQ(read.code, "");
  EXPECT_EQ(read.smtp_code, 0);
  EXPECT_EQ(read.response_code, 0);
  EXPECT_EQ(read.error_message, "");
  EXPECT_FALSE(read.error_type);
  EXPECT_FALSE(record(id).last_failure);
}

TEST_P(AttemptsOnRecord, AttemptsAreListedByNumber) {
  const JobId id = accepted(new_mail().attempts_max(20));
  Worker one = worker();
  for (int i = 0; i < 12; ++i)
    one.settle(settle_retry(one.claim_only(), seconds{0}));
  const std::vector<Attempt> attempts = must(outbox().history(id)).attempts;
  ASSERT_EQ(attempts.size(), 12U);
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(attempts[static_cast<std::size_t>(i)].number, i + 1);
}

TEST_P(AttemptsOnRecord, TheLastFailureIsTheLatestAttemptWithAnErrorType) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.settle(settle_retry(one.claim_only(), seconds{0}));
  EXPECT_EQ(record(id).last_failure->number, 1);
  one.settle(settle_deferred(one.claim_only(), seconds{0}));
  ASSERT_TRUE(record(id).last_failure);
  EXPECT_EQ(record(id).last_failure->number, 1) << "a deferral without an error type is not a failure";
  one.settle(settle_failed(one.claim_only()));
  EXPECT_EQ(record(id).last_failure->number, 3);
  EXPECT_EQ(record(id).last_failure->smtp_code, 550);
}

TEST_P(AttemptsOnRecord, EventsAreInTheOrderTheyHappened) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  one.settle(settle_retry(one.claim_only(), seconds{0}));
  one.settle(settle_failed(one.claim_only()));
  act(id, Act::retry);
  one.settle(settle_sent(one.claim_only()));
  const std::vector<StatusEvent> events = must(outbox().history(id)).events;
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(moves(id),
            (std::vector<std::string>{" -> QUEUED", "QUEUED -> RETRY_PENDING", "RETRY_PENDING -> FAILED",
                                      "FAILED -> QUEUED", "QUEUED -> SENT"}));
  for (std::size_t i = 1; i < events.size(); ++i)
    EXPECT_GE(events[i].at, events[i - 1].at);
  EXPECT_EQ(events[1].reason, "try later");
  EXPECT_EQ(events[1].actor, "engine");
  EXPECT_EQ(events[1].trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_P(AttemptsOnRecord, WithoutAChangeOfStateThereIsNoEvent) {
  const JobId id = accepted(new_mail());
  Worker one = worker();
  for (int i = 0; i < 3; ++i)
    one.settle(settle_retry(one.claim_only(), seconds{0}));
  EXPECT_EQ(moves(id), (std::vector<std::string>{" -> QUEUED", "QUEUED -> RETRY_PENDING"}));
}

TEST_P(AttemptsOnRecord, AnUnknownJobHasNoHistory) {
  const JobHistory history = must(outbox().history(JobId{42}));
  EXPECT_TRUE(history.attempts.empty());
  EXPECT_TRUE(history.events.empty());
}

}  // namespace
}  // namespace eilbote::test::attempts_on_record_test
