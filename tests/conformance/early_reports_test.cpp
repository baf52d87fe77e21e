// Delivery reports that come before the mail is settled, on both stores: they are refused without a trace, and count when they
// are brought again.
#include <gmock/gmock.h>

#include "conformance/reports_fixture.h"

namespace eilbote::test::early_reports_test {
namespace {

using namespace reports_fixture;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EarlyReports : public Reports {
 protected:
  // Nothing of it is left: not the report, no event, no recipient, no suppression.
  void expect_too_early(JobId id, const DeliveryReport& report) {
    const std::string state_before = state(id), status_before = status(id);
    const std::vector<std::string> moves_before = moves(id);
    const std::vector<R> statuses_before = statuses(id);
    const int reports_before = count("delivery_reports");
    const auto answer = reports().take(report);
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
    EXPECT_TRUE(says_too_early(answer.error())) << answer.error().message;
    EXPECT_EQ(count("delivery_reports"), reports_before);
    EXPECT_EQ(state(id), state_before);
    EXPECT_EQ(status(id), status_before);
    EXPECT_EQ(moves(id), moves_before);
    EXPECT_EQ(statuses(id), statuses_before);
    EXPECT_THAT(suppressed(), IsEmpty());
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, EarlyReports, ::testing::Values("sqlite", "postgres"), store_name);

// The bounce overtakes the answer to the hand-over.
TEST_P(EarlyReports, AReportThatComesBeforeTheSettlementCountsWhenItComesAgain) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org"));
  Worker one = worker();
  const ClaimedJob leased = one.claim_only();
  const DeliveryReport report = about(id, {said("b@x.org", A::failed, "5.1.1")});
  expect_too_early(id, report);
  expect_too_early(id, report);
  ASSERT_EQ(one.settle(all_taken(leased, 2)), SettleOutcome::settled);
  const ReportOutcome outcome = take(report);
  EXPECT_EQ(outcome.kind, ReportKind::applied);
  EXPECT_EQ(outcome.to, "BOUNCED");
  EXPECT_THAT(statuses(id), ElementsAre(R::taken, R::bounced));
  EXPECT_THAT(suppressed(), ElementsAre("b@x.org"));
  EXPECT_EQ(take(report).kind, ReportKind::seen_before);
}

// The answer was lost, the mail waits again, and the next attempt finds that it was sent.
TEST_P(EarlyReports, AReportOnAMailThatWaitsAfterAnAttemptCountsWhenItComesAgain) {
  const JobId id = accepted(new_mail().to("a@x.org"));
  Worker one = worker();
  one.settle(settle_retry(one.claim_only(), seconds{0}));
  ASSERT_EQ(status(id), "queued");
  const DeliveryReport report = about(id, {said("a@x.org", A::delivered)});
  expect_too_early(id, report);
  one.settle(all_taken(one.claim_only(), 1));
  EXPECT_EQ(take(report).to, "DELIVERED");
  EXPECT_EQ(state(id), "DELIVERED");
}

TEST_P(EarlyReports, OfAMailPartlyTakenOnlyWhoWaitsIsTooEarly) {
  const JobId id = accepted(new_mail().to("a@x.org").to("b@x.org"));
  Worker one = worker();
  one.settle(settle_partial(one.claim_only(), seconds{0}));
  const DeliveryReport waiting = about(id, {said("b@x.org", A::failed, "5.1.1")});
  expect_too_early(id, waiting);
  EXPECT_EQ(take(id, said("b@x.org", A::delayed)).kind, ReportKind::applied) << "a note moves nobody";
  EXPECT_EQ(take(id, said("a@x.org", A::delivered)).kind, ReportKind::applied);
  EXPECT_THAT(statuses(id), ElementsAre(R::delivered, R::waiting));
  Settlement done = settle_sent(one.claim_only());
  done.decision.recipients = {{1, R::taken, "250 ok"}};
  one.settle(done);
  EXPECT_EQ(take(waiting).to, "BOUNCED");
}

// Nobody can have been handed a mail that was never tried.
TEST_P(EarlyReports, AReportOnAMailThatWasNeverTriedIsANote) {
  const JobId id = accepted(new_mail().to("a@x.org"));
  EXPECT_EQ(take(id, said("a@x.org", A::failed, "5.1.1")).kind, ReportKind::applied);
  EXPECT_EQ(moves(id).back(), "QUEUED -> QUEUED");
  EXPECT_EQ(count("delivery_reports"), 1);
}

}  // namespace
}  // namespace eilbote::test::early_reports_test
