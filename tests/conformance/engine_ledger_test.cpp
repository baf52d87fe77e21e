// The ledger over a real outbox and a scripted channel: rounds, lost answers, poison, breaker, orders,
// shutdown.
#include <gtest/gtest.h>

#include "support/engine_fixture.h"

namespace eilbote::test::engine_ledger_test {
namespace {

using namespace std::chrono_literals;
using LedgerTest = EngineFixture;

double metric(const Metrics& metrics, const std::string& name) {
  const std::string text = metrics.render();
  const std::size_t at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

TEST_F(LedgerTest, DeliversAndSettles) {
  start_ledger();
  const JobId id = accept_one(new_job());
  auto open = channel_.next();
  EXPECT_EQ(open.delivery.job.id, id);
  EXPECT_TRUE(open.delivery.still_mine());
  open.done(ScriptedChannel::taken(open.delivery));
  EXPECT_TRUE(becomes(id, MailState::SENT));
  const auto history = real_->history(id);
  ASSERT_EQ(history->attempts.size(), 1u);
  EXPECT_EQ(history->attempts[0].route, "scripted");
}

TEST_F(LedgerTest, RetriesUntilItsBudgetIsUsedUp) {
  start_ledger();
  NewJob job = new_job();
  job.attempts_max = 3;
  const JobId id = accept_one(std::move(job));
  for (int i = 0; i < 3; ++i) {
    auto open = channel_.next();
    EXPECT_EQ(open.delivery.job.retry_count, i);
    open.done(ScriptedChannel::failed(Verdict::transient, "451 not now"));
  }
  EXPECT_TRUE(becomes(id, MailState::FAILED));
  EXPECT_EQ(record(id).job.dead_reason, DeadReason::MaxAttemptsExceeded);
  EXPECT_FALSE(channel_.comes(50ms));
}

TEST_F(LedgerTest, ALostSettleAnswerIsRecognised) {
  start_ledger();
  const JobId id = accept_one(new_job());
  auto open = channel_.next();
  outbox_->lose_exchange_answers = 1;
  open.done(ScriptedChannel::taken(open.delivery));
  EXPECT_TRUE(becomes(id, MailState::SENT));
  const JobId next = accept_one(new_job());
  auto again = channel_.next();
  EXPECT_EQ(again.delivery.job.id, next) << "the first one is not delivered twice";
  EXPECT_EQ(metric(metrics_, "eilbote_settle_stale_total"), 0) << "my own lost commit is not a stolen lease";
  again.done(ScriptedChannel::taken(again.delivery));
  EXPECT_TRUE(becomes(next, MailState::SENT));
}

TEST_F(LedgerTest, ALostClaimIsFreedAndDelivered) {
  outbox_->lose_exchange_answers = 1;
  start_ledger();
  const JobId id = accept_one(new_job());
  auto open = channel_.next();
  EXPECT_EQ(open.delivery.job.id, id);
  EXPECT_EQ(metric(metrics_, "eilbote_leases_freed_total"), 1);
  open.done(ScriptedChannel::taken(open.delivery));
  EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_EQ(record(id).job.losses, 0);
}

TEST_F(LedgerTest, APoisonOutcomeIsSettledWithoutItsWords) {
  outbox_->before_exchange = [](const ExchangeRequest& request) -> std::optional<Error> {
    for (const Settlement& one : request.settlements)
      if (one.decision.last_error.find("poison") != std::string::npos)
        return Error{ErrorKind::rejected_data, "22021: poison"};
    return std::nullopt;
  };
  start_ledger();
  NewJob once = new_job();
  once.attempts_max = 1;
  const JobId bad = accept_one(std::move(once));
  auto open = channel_.next();
  const JobId good = accept_one(new_job());
  auto other = channel_.next();
  open.done(ScriptedChannel::failed(Verdict::transient, "poison"));
  other.done(ScriptedChannel::taken(other.delivery));
  EXPECT_TRUE(becomes(bad, MailState::FAILED));
  EXPECT_TRUE(becomes(good, MailState::SENT));
  EXPECT_EQ(record(bad).job.last_error, "the answer could not be stored");
}

TEST_F(LedgerTest, NulAndBrokenUtf8FromAPeerAreCleaned) {
  start_ledger();
  NewJob once = new_job();
  once.attempts_max = 1;
  const JobId id = accept_one(std::move(once));
  auto open = channel_.next();
  open.done(ScriptedChannel::failed(Verdict::transient, std::string("451 \0\xff\xfe bad", 11)));
  EXPECT_TRUE(becomes(id, MailState::FAILED));
  EXPECT_EQ(record(id).job.last_error, "451  \xEF\xBF\xBD\xEF\xBF\xBD bad");
}

TEST_F(LedgerTest, ARouteFaultOpensTheBreakerAndAProbeClosesIt) {
  channel_.set_probe_answer(fail(ErrorKind::unavailable, "still down"));
  LedgerOptions options;
  options.routes.mail.probe_every = 20ms;
  start_ledger(options);
  const JobId first = accept_one(new_job());
  auto open = channel_.next();
  open.done(ScriptedChannel::failed(Verdict::route_fault, "connection refused"));
  EXPECT_TRUE(becomes(first, MailState::RETRY_PENDING));
  const JobId second = accept_one(new_job());
  ASSERT_TRUE(channel_.wait_for_probes(3));
  EXPECT_EQ(channel_.delivered(), 1) << "no attempt is made while the breaker is open";
  EXPECT_EQ(record(second).job.retry_count, 0);
  EXPECT_NE(ledger_->breakers().at(0).state, BreakerState::closed);
  channel_.set_probe_answer({});
  for (int i = 0; i < 2; ++i) {
    auto again = channel_.next();
    again.done(ScriptedChannel::taken(again.delivery));
  }
  EXPECT_TRUE(becomes(first, MailState::SENT));
  EXPECT_TRUE(becomes(second, MailState::SENT));
}

TEST_F(LedgerTest, StopHandsBackWithoutBurningAnAttempt) {
  start_ledger();
  const JobId id = accept_one(new_job());
  ASSERT_TRUE(channel_.comes(10s));
  ledger_->stop(5s);
  const JobRecord after = record(id);
  EXPECT_EQ(after.job.status, JobStatus::queued);
  EXPECT_EQ(after.job.retry_count, 0);
  EXPECT_EQ(after.job.attempts, 0);
  EXPECT_EQ(after.job.losses, 0);
}

TEST_F(LedgerTest, TriggeredModeWaitsForAnOrder) {
  LedgerOptions options;
  options.continuous = false;
  start_ledger(options);
  const JobId a = accept_one(new_job()), b = accept_one(new_job()), c = accept_one(new_job());
  EXPECT_FALSE(channel_.comes(100ms));
  const auto why = ledger_->held_back(record(a).job);
  ASSERT_TRUE(why) << "it does not go out in a moment";
  EXPECT_NE(why->find("POST /internal/dispatch"), std::string::npos) << *why;
  std::promise<DispatchReport> promise;
  ledger_->dispatch({.batch_size = 2, .only = {}, .wait = 10s},
                    [&](Result<DispatchReport> report) { promise.set_value(std::move(*report)); });
  for (int i = 0; i < 2; ++i) {
    auto open = channel_.next();
    open.done(ScriptedChannel::taken(open.delivery));
  }
  const DispatchReport report = promise.get_future().get();
  ASSERT_EQ(report.jobs.size(), 2u);
  EXPECT_EQ(report.jobs[0].id, a);
  EXPECT_EQ(report.jobs[1].id, b);
  EXPECT_EQ(report.jobs[0].status, JobStatus::sent);
  EXPECT_EQ(mail_state(record(c).job), MailState::QUEUED);
}

TEST_F(LedgerTest, AnOrderForOneIgnoresItsDueTime) {
  LedgerOptions options;
  options.continuous = false;
  start_ledger(options);
  NewJob later = new_job();
  later.scheduled_for = clock_.now() + 1h;
  const JobId id = accept_one(std::move(later));
  std::promise<DispatchReport> promise;
  ledger_->dispatch({.batch_size = 1, .only = id, .wait = 10s},
                    [&](Result<DispatchReport> report) { promise.set_value(std::move(*report)); });
  auto open = channel_.next();
  EXPECT_EQ(open.delivery.job.id, id);
  open.done(ScriptedChannel::taken(open.delivery));
  EXPECT_EQ(promise.get_future().get().jobs.at(0).status, JobStatus::sent);
}

TEST_F(LedgerTest, AnOrderForOneHasAPlaceInItsPool) {
  LedgerOptions options;
  options.pools = {default_mail_pool()};
  options.pools[0].concurrency = 1;
  accept_one(new_job());
  NewJob later = new_job();
  later.scheduled_for = clock_.now() + 1h;
  const JobId id = accept_one(std::move(later));
  const auto ledger =
      make_stepped_ledger(*outbox_, *care_, channel_, *instance_, clock_, random_, metrics_, options);
  ledger->dispatch({.batch_size = 1, .only = id, .wait = 10s}, [](const Result<DispatchReport>&) {});
  ledger->step();
  ledger->step_departures();
  EXPECT_EQ(channel_.delivered(), 1) << "the other one waits, though it is due";
  EXPECT_EQ(channel_.next().delivery.job.id, id);
}

TEST_F(LedgerTest, AnOrderForAFinishedOneIsRefused) {
  start_ledger();
  const JobId id = accept_one(new_job());
  auto open = channel_.next();
  open.done(ScriptedChannel::taken(open.delivery));
  ASSERT_TRUE(becomes(id, MailState::SENT));
  std::promise<DispatchReport> promise;
  ledger_->dispatch({.batch_size = 1, .only = id, .wait = 10s},
                    [&](Result<DispatchReport> report) { promise.set_value(std::move(*report)); });
  EXPECT_TRUE(promise.get_future().get().refused);
}

TEST_F(LedgerTest, ConcurrencyOfAPoolHolds) {
  LedgerOptions options;
  Pool narrow = default_mail_pool();
  narrow.concurrency = 2;
  options.pools = {narrow};
  start_ledger(options);
  for (int i = 0; i < 5; ++i)
    accept_one(new_job());
  auto first = channel_.next();
  auto second = channel_.next();
  EXPECT_FALSE(channel_.comes(100ms));
  first.done(ScriptedChannel::taken(first.delivery));
  auto third = channel_.next();
  EXPECT_FALSE(channel_.comes(50ms));
  second.done(ScriptedChannel::taken(second.delivery));
  third.done(ScriptedChannel::taken(third.delivery));
  for (int i = 0; i < 2; ++i) {
    auto open = channel_.next();
    open.done(ScriptedChannel::taken(open.delivery));
  }
}

}  // namespace
}  // namespace eilbote::test::engine_ledger_test
