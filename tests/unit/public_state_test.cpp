// The public state in all three vocabularies, as tables over the row.
#include "domain/public_state.h"

#include <gtest/gtest.h>

namespace eilbote::public_state_test {
namespace {

using namespace std::chrono_literals;
using S = JobStatus;

constexpr TimePoint kNow{std::chrono::sys_days{std::chrono::year{2026} / 11 / 15}};

struct Row {
  const char* name;
  S status = S::queued;
  int retry_count = 0;
  int deferrals = 0;
  bool partial = false;
  std::optional<Report> report = std::nullopt;
  std::optional<DeadReason> dead = std::nullopt;
  Duration due = 0s;  // from now

  Job job(ChannelKind channel) const {
    Job made;
    made.channel = channel;
    made.status = status;
    made.retry_count = retry_count;
    made.attempts = retry_count + deferrals;
    made.deferrals = deferrals;
    made.partial = partial;
    made.report = report;
    made.dead_reason = dead;
    made.next_attempt_at = kNow + due;
    return made;
  }
};

TEST(PublicState, mail) {
  using M = MailState;
  const struct {
    Row row;
    M want;
  } cases[] = {
      {{"new", S::queued}, M::QUEUED},
      {{"in line", S::blocked}, M::QUEUED},
      {{"on its way to the broker", S::publishing}, M::QUEUED},
      {{"in the broker", S::published}, M::QUEUED},
      {{"first attempt runs", S::dispatching}, M::QUEUED},
      {{"a foreign worker has it", S::in_flight}, M::QUEUED},
      {{"failed once", S::queued, 1}, M::RETRY_PENDING},
      {{"failed once, in line", S::blocked, 1}, M::RETRY_PENDING},
      {{"failed once, publishing", S::publishing, 1}, M::RETRY_PENDING},
      {{"failed once, published", S::published, 1}, M::RETRY_PENDING},
      {{"second attempt runs", S::dispatching, 1}, M::RETRY_PENDING},
      {{"failed, a foreign worker has it", S::in_flight, 1}, M::RETRY_PENDING},
      {{"deferred", S::queued, 0, 1}, M::RETRY_PENDING},
      {{"deferred, runs again", S::dispatching, 0, 3}, M::RETRY_PENDING},
      {{"some recipient waits", S::queued, 0, 0, true}, M::RETRY_PENDING},
      {{"some recipient waits, runs", S::dispatching, 1, 0, true}, M::RETRY_PENDING},
      {{"sent", S::sent}, M::SENT},
      {{"sent after failures", S::sent, 3, 2}, M::SENT},
      {{"delivered", S::sent, 0, 0, false, Report::delivered}, M::DELIVERED},
      {{"bounced", S::sent, 1, 0, false, Report::bounced}, M::BOUNCED},
      {{"dead", S::failed, 5, 0, false, {}, DeadReason::MaxAttemptsExceeded}, M::FAILED},
      {{"expired", S::failed, 0, 0, false, {}, DeadReason::Expired}, M::FAILED},
      {{"held", S::failed, 1, 0, false, {}, DeadReason::Uncertain}, M::FAILED},
      {{"cancelled", S::cancelled}, M::CANCELLED},
      {{"cancelled after a failure", S::cancelled, 2}, M::CANCELLED},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(mail_state(c.row.job(ChannelKind::mail)), c.want) << c.row.name;
    EXPECT_EQ(public_state_text(c.row.job(ChannelKind::mail)), kMailStateNames.text(c.want)) << c.row.name;
  }
}

TEST(PublicState, webhook) {
  using W = WebhookState;
  const struct {
    Row row;
    W alone;   // without a broker
    W broker;  // with one
  } cases[] = {
      {{"new", S::queued}, W::QUEUED, W::PENDING},
      {{"scheduled", S::queued, 0, 0, false, {}, {}, 1h}, W::PENDING, W::PENDING},
      {{"in line", S::blocked}, W::QUEUED, W::PENDING},
      {{"on its way to the broker", S::publishing}, W::PENDING, W::PENDING},
      {{"in the broker", S::published}, W::QUEUED, W::QUEUED},
      {{"leased", S::dispatching}, W::IN_PROGRESS, W::IN_PROGRESS},
      {{"leased by a foreign worker", S::in_flight}, W::IN_PROGRESS, W::IN_PROGRESS},
      {{"leased again", S::dispatching, 2}, W::IN_PROGRESS, W::IN_PROGRESS},
      {{"failed, waits", S::queued, 1, 0, false, {}, {}, 1min}, W::ERROR, W::ERROR},
      {{"failed, due", S::queued, 1}, W::ERROR, W::ERROR},
      {{"failed, in line", S::blocked, 1}, W::ERROR, W::ERROR},
      {{"failed, publishing", S::publishing, 1}, W::ERROR, W::ERROR},
      {{"failed, published", S::published, 1}, W::ERROR, W::ERROR},
      {{"deferred, waits", S::queued, 0, 1, false, {}, {}, 30s}, W::QUEUED, W::PENDING},
      {{"failed, then deferred", S::queued, 1, 1, false, {}, {}, 30s}, W::QUEUED, W::PENDING},
      {{"failed, then deferred, publishing", S::publishing, 1, 1}, W::PENDING, W::PENDING},
      {{"failed, then deferred, published", S::published, 1, 1}, W::QUEUED, W::QUEUED},
      {{"done", S::sent}, W::COMPLETED, W::COMPLETED},
      {{"done after failures", S::sent, 2}, W::COMPLETED, W::COMPLETED},
      {{"dead", S::failed, 3, 0, false, {}, DeadReason::MaxAttemptsExceeded}, W::ERROR, W::ERROR},
      {{"refused", S::failed, 1, 0, false, {}, DeadReason::PermanentFailure}, W::ERROR, W::ERROR},
      {{"given up", S::failed, 0, 0, false, {}, DeadReason::Abandoned}, W::ERROR, W::ERROR},
      {{"expired", S::failed, 1, 0, false, {}, DeadReason::Expired}, W::CANCELLED, W::CANCELLED},
      {{"cancelled", S::cancelled}, W::CANCELLED, W::CANCELLED},
  };
  for (const auto& c : cases) {
    const Job job = c.row.job(ChannelKind::webhook);
    EXPECT_EQ(webhook_state(job, {false, kNow}), c.alone) << c.row.name;
    EXPECT_EQ(public_state_text(job, kNow), kWebhookStateNames.text(c.alone)) << c.row.name;
    EXPECT_EQ(webhook_state(job, {true, kNow}), c.broker) << c.row.name << ", with a broker";
    EXPECT_EQ(public_state_text(job, WebhookView{true, kNow}), kWebhookStateNames.text(c.broker))
        << c.row.name;
  }
  const Job fresh = Row{"new"}.job(ChannelKind::webhook);
  EXPECT_EQ(public_state_text(fresh), "QUEUED");
  EXPECT_EQ(public_state_text(fresh, when_due(fresh, true)), "PENDING");
}

TEST(PublicState, email_log) {
  using L = EmailLogState;
  const struct {
    Row row;
    L want;
  } cases[] = {
      {{"new", S::queued}, L::Pending},
      {{"in line", S::blocked}, L::Pending},
      {{"in the broker", S::published}, L::Pending},
      {{"in the broker after a failure", S::published, 2}, L::Pending},
      {{"failed, waits", S::queued, 1}, L::Failed},
      {{"failed, in line", S::blocked, 1}, L::Failed},
      {{"handed to the broker", S::publishing}, L::RetryQueued},
      {{"handed to the broker again", S::publishing, 1}, L::RetryQueued},
      {{"leased", S::dispatching}, L::Sending},
      {{"leased again", S::dispatching, 1}, L::Sending},
      {{"leased by a foreign worker", S::in_flight}, L::Sending},
      {{"sent", S::sent}, L::Sent},
      {{"bounced", S::sent, 0, 0, false, Report::bounced}, L::Sent},
      {{"cancelled", S::cancelled}, L::Cancelled},
      {{"dead", S::failed, 5, 0, false, {}, DeadReason::MaxAttemptsExceeded}, L::Dead},
      {{"expired", S::failed, 0, 0, false, {}, DeadReason::Expired}, L::Dead},
  };
  for (const auto& c : cases)
    EXPECT_EQ(email_log_state(c.row.job(ChannelKind::mail)), c.want) << c.row.name;
}

}  // namespace
}  // namespace eilbote::public_state_test
