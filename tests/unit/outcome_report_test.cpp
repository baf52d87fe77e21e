// What becomes of jobs is counted once, under the right name.
#include "engine/outcome_report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "metrics/metrics.h"

namespace eilbote::test::outcome_report_test {
namespace {

// Of all labels together; 0 when there is no such line yet.
int total(const Metrics& metrics, const std::string& name) {
  std::istringstream lines(metrics.render());
  double sum = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + "{") || line.starts_with(name + " "))
      sum += std::stod(line.substr(line.rfind(' ') + 1));
  return static_cast<int>(sum);
}

Finished finished(ChannelKind channel, JobStatus status, std::string_view to = "") {
  Finished made;
  made.after.channel = channel;
  made.after.status = status;
  made.pool = "p";
  made.verdict = status == JobStatus::sent ? Verdict::delivered : Verdict::transient;
  made.settlement.attempt.emplace();
  if (status == JobStatus::failed) made.after.dead_reason = DeadReason::MaxAttemptsExceeded;
  if (!to.empty()) made.settlement.event = StatusEvent{{}, "QUEUED", std::string(to), "", "engine", ""};
  if (status == JobStatus::queued) made.settlement.decision.event = JobEvent::settle_retry;
  return made;
}

Finished gone() {
  Finished made = finished(ChannelKind::webhook, JobStatus::failed, "ERROR");
  made.settlement.attempt->response_code = 410;
  return made;
}

TEST(OutcomeReport, counts_a_settled_attempt_by_what_it_became) {
  struct Case {
    const char* name;
    Finished finished;
    int sent, retry_pending, failed, dead, requeued, webhook_attempts, gone;
  };
  const Case cases[] = {
      {"a mail is sent", finished(ChannelKind::mail, JobStatus::sent, "SENT"), 1, 0, 0, 0, 0, 0, 0},
      {"a mail is tried again", finished(ChannelKind::mail, JobStatus::queued, "RETRY_PENDING"), 0, 1, 0, 0,
       1, 0, 0},
      {"and once more: no new state", finished(ChannelKind::mail, JobStatus::queued), 0, 0, 0, 0, 1, 0, 0},
      {"a mail is dead", finished(ChannelKind::mail, JobStatus::failed, "FAILED"), 0, 0, 1, 1, 0, 0, 0},
      {"a webhook is delivered", finished(ChannelKind::webhook, JobStatus::sent, "COMPLETED"), 0, 0, 0, 0, 0,
       1, 0},
      {"a webhook is dead, and no mail", finished(ChannelKind::webhook, JobStatus::failed, "ERROR"), 0, 0, 0,
       1, 0, 1, 0},
      {"its endpoint is gone", gone(), 0, 0, 0, 1, 0, 1, 1},
  };
  for (const Case& one : cases) {
    Metrics metrics;
    report_settled(one.finished, metrics);
    EXPECT_EQ(total(metrics, "eilbote_messages_sent_total"), one.sent) << one.name;
    EXPECT_EQ(total(metrics, "eilbote_messages_retry_pending_total"), one.retry_pending) << one.name;
    EXPECT_EQ(total(metrics, "eilbote_messages_failed_total"), one.failed) << one.name;
    EXPECT_EQ(total(metrics, "eilbote_dead_total"), one.dead) << one.name;
    EXPECT_EQ(total(metrics, "eilbote_requeued_total"), one.requeued) << one.name;
    EXPECT_EQ(total(metrics, "eilbote_webhook_attempts_total"), one.webhook_attempts) << one.name;
    EXPECT_EQ(total(metrics, "eilbote_endpoint_gone_total"), one.gone) << one.name;
  }
}

TEST(OutcomeReport, counts_webhooks_that_were_taken_and_no_others) {
  Metrics metrics;
  report_settled(finished(ChannelKind::mail, JobStatus::sent, "SENT"), metrics);
  report_settled(finished(ChannelKind::webhook, JobStatus::queued), metrics);
  report_settled(gone(), metrics);
  EXPECT_EQ(total(metrics, "eilbote_webhooks_delivered_total"), 0);
  report_settled(finished(ChannelKind::webhook, JobStatus::sent, "COMPLETED"), metrics);
  EXPECT_EQ(total(metrics, "eilbote_webhooks_delivered_total"), 1);
}

TEST(OutcomeReport, counts_what_upkeep_and_people_did) {
  Metrics metrics;
  SweepResult swept;
  swept.changed = 5;
  swept.failed = 2;
  swept.failed_mails = 1;
  report_rescued(swept, metrics);
  report_dead(swept, DeadReason::Abandoned, metrics);
  EXPECT_EQ(total(metrics, "eilbote_lease_losses_total"), 5);
  EXPECT_EQ(total(metrics, "eilbote_requeued_total"), 3);
  EXPECT_EQ(total(metrics, "eilbote_dead_total"), 2);
  EXPECT_EQ(total(metrics, "eilbote_messages_failed_total"), 1) << "the other one is a webhook";
  report_act(Act::retry, metrics);
  report_act(Act::abandon, metrics);
  report_act(Act::cancel, metrics);
  EXPECT_EQ(total(metrics, "eilbote_requeued_total"), 4);
  EXPECT_EQ(total(metrics, "eilbote_dead_total"), 3);
  EXPECT_EQ(total(metrics, "eilbote_messages_failed_total"), 2);
}

}  // namespace
}  // namespace eilbote::test::outcome_report_test
