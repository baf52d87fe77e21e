// The ledger behind a broker: what it does with messages that name jobs. The outbox is a real one; only which jobs an offer may
// start is decided here, by the row's state and attempts: a queued row stands for a published one.
#include <gtest/gtest.h>

#include "support/engine_fixture.h"
#include "support/eventually.h"
#include "support/metric_value.h"
#include "support/webhook_builder.h"

namespace eilbote::test::engine_offers_test {
namespace {

using namespace std::chrono_literals;

class OfferingOutbox final : public ForwardingOutbox {
 public:
  explicit OfferingOutbox(Outbox& outbox) : ForwardingOutbox(outbox) {}

  Result<ExchangeResult> exchange(const ExchangeRequest& request) override {
    ExchangeRequest rest = request;
    rest.offers.clear();
    auto result = real().exchange(rest);
    for (const OfferedJob& offer : request.offers) {
      if (!result) return result;
      const auto found = real().find(offer.id, std::nullopt);
      if (!found || !*found || (*found)->job.status != JobStatus::queued) continue;
      if (offer.attempt && *offer.attempt != (*found)->job.attempts + 1) continue;
      ExchangeRequest one;
      one.claim_one = offer.id;
      one.token = request.token;
      auto claimed = real().exchange(one);
      if (!claimed) return claimed;
      result->claimed.insert(result->claimed.end(), claimed->claimed.begin(), claimed->claimed.end());
    }
    return result;
  }
};

// Answers the first so many requests with an error, then takes them.
class FailingEndpoint final : public WebhookChannel {
 public:
  void deliver(WebhookDelivery delivery, Done done) override {
    DeliveryResult result;
    result.verdict = Verdict::delivered;
    result.response_code = 200;
    if (count(delivery.job.id)) {
      result = ScriptedChannel::failed(Verdict::transient, "503");
      result.response_code = 503;
    }
    done(std::move(result));
  }
  void release_waiting() override {}

  void fail_next(int n) {
    const std::lock_guard lock(mutex_);
    failures_left_ = n;
  }
  int delivered(JobId id) {
    const std::lock_guard lock(mutex_);
    return delivered_[id];
  }

 private:
  // True: it fails.
  bool count(JobId id) {
    const std::lock_guard lock(mutex_);
    ++delivered_[id];
    return failures_left_-- > 0;
  }

  std::mutex mutex_;
  int failures_left_ = 0;
  std::map<JobId, int> delivered_;
};

Pool pool(const std::string& code) {
  Pool made;
  made.code = made.name = code;
  return made;
}
Pool narrow_pool() {
  Pool made = pool("narrow");
  made.concurrency = 1;
  return made;
}

class EngineOffers : public EngineFixture {
 protected:
  EngineOffers() : EngineFixture({default_mail_pool(), narrow_pool(), pool("webhook")}) {
    offering_ = std::make_unique<OfferingOutbox>(*real_);
    outbox_ = std::make_unique<FaultyOutbox>(*offering_);
  }
  ~EngineOffers() override {
    ledger_.reset();  // it uses what is here
  }

  void start(LedgerOptions options = {}) {
    options.by_broker = true;
    options.acknowledge = [this](std::span<const Receipt> receipts) {
      const std::lock_guard lock(mutex_);
      acknowledged_.insert(acknowledged_.end(), receipts.begin(), receipts.end());
    };
    options.pause_lanes = [this](std::span<const LaneId> lanes, Duration pause) {
      const std::lock_guard lock(mutex_);
      for (const LaneId lane : lanes)
        paused_.emplace_back(lane, pause);
    };
    if (options.pools.empty()) options.pools = {default_mail_pool(), narrow_pool(), pool("webhook")};
    start_ledger(std::move(options));
  }
  void offer(JobId id, Receipt receipt, std::optional<int> attempt = 1,
             ChannelKind channel = ChannelKind::mail) {
    ledger_->offer({Offer{{id, attempt}, channel, receipt}});
  }
  std::vector<Receipt> acknowledged() {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  bool is_acknowledged(Receipt receipt) {
    return eventually([&] {
      const auto all = acknowledged();
      return std::find(all.begin(), all.end(), receipt) != all.end();
    });
  }
  std::vector<std::pair<LaneId, Duration>> paused() {
    const std::lock_guard lock(mutex_);
    return paused_;
  }
  double counted(const std::string& outcome, CarrierQueue queue = CarrierQueue::mail_send) {
    return metric_value(metrics_, "eilbote_broker_messages_total{outcome=\"" + outcome + "\",queue=\"" +
                                      std::string(kCarrierQueueNames.text(queue)) + "\"}")
        .value_or(0);
  }
  // Handed back to the database with nothing burnt, due so long after that.
  testing::AssertionResult is_put_back(JobId id, Duration delay) {
    Job job;
    const bool back = eventually([&] {
      job = record(id).job;
      return job.status == JobStatus::queued && job.updated_at > job.created_at;
    });
    if (!back) return testing::AssertionFailure() << "it is " << kJobStatusNames.text(job.status);
    if (job.attempts != 0 || job.retry_count != 0 || job.losses != 0)
      return testing::AssertionFailure() << "an attempt was burnt";
    const Duration due = job.next_attempt_at - job.updated_at;
    if (delay > 0s ? due == delay : due <= 0s) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "due after " << due.count() << " us";
  }
  void finish(ScriptedChannel::Open open) { open.done(ScriptedChannel::taken(open.delivery)); }

  std::mutex mutex_;
  std::vector<Receipt> acknowledged_;
  std::vector<std::pair<LaneId, Duration>> paused_;
  FailingEndpoint endpoint_;
  std::unique_ptr<OfferingOutbox> offering_;
};

TEST_F(EngineOffers, a_message_starts_its_job_and_is_acknowledged_before_it_is_delivered) {
  start();
  const JobId id = accept_one(new_job());
  EXPECT_FALSE(channel_.comes(100ms)) << "what travels is not claimed from the database";
  offer(id, 7);
  auto open = channel_.next();
  EXPECT_EQ(open.delivery.job.id, id);
  EXPECT_TRUE(is_acknowledged(7));
  finish(std::move(open));
  EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_EQ(counted("started"), 1);
}

TEST_F(EngineOffers, duplicates_and_messages_of_the_past_are_acknowledged_and_counted) {
  start();
  const JobId id = accept_one(new_job());
  offer(id, 1);
  auto open = channel_.next();
  offer(id, 2);        // it is under way
  offer(id, 3, 2);     // there is no second attempt
  offer(JobId{5}, 4);  // no such job
  for (const Receipt receipt : {1, 2, 3, 4})
    EXPECT_TRUE(is_acknowledged(receipt));
  finish(std::move(open));
  ASSERT_TRUE(becomes(id, MailState::SENT));
  offer(id, 5);
  EXPECT_TRUE(is_acknowledged(5));
  EXPECT_TRUE(eventually([&] { return counted("stale") == 4; }));
  EXPECT_EQ(counted("started"), 1);
  EXPECT_EQ(channel_.delivered(), 1);
}

TEST_F(EngineOffers, a_foreign_message_without_a_number_starts_whatever_attempt_is_due) {
  start();
  const JobId id = accept_one(new_job());
  offer(id, 1);
  auto open = channel_.next();
  open.done(ScriptedChannel::failed(Verdict::transient, "451 not now"));
  ASSERT_TRUE(becomes(id, MailState::RETRY_PENDING));
  offer(id, 2, std::nullopt);
  finish(channel_.next());
  EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_EQ(record(id).job.attempts, 2);
}

TEST_F(EngineOffers, a_message_waits_while_its_channel_has_no_room) {
  LedgerOptions options;
  Pool one = default_mail_pool();
  one.concurrency = 1;
  options.pools = {one};
  start(options);
  const JobId first = accept_one(new_job()), second = accept_one(new_job());
  offer(first, 1);
  offer(second, 2);
  auto open = channel_.next();
  EXPECT_FALSE(channel_.comes(100ms));
  EXPECT_EQ(acknowledged(), (std::vector<Receipt>{1})) << "nobody has asked the database about the second";
  finish(std::move(open));
  open = channel_.next();
  EXPECT_EQ(open.delivery.job.id, second);
  finish(std::move(open));
  EXPECT_TRUE(becomes(second, MailState::SENT));
  EXPECT_EQ(counted("put-back"), 0);
}

TEST_F(EngineOffers, a_job_whose_pool_is_full_is_put_back_for_a_second) {
  start();
  NewJob a = new_job(), b = new_job();
  a.pool = b.pool = "narrow";
  const JobId first = accept_one(std::move(a)), second = accept_one(std::move(b));
  offer(first, 1);
  auto open = channel_.next();
  offer(second, 2);
  EXPECT_TRUE(is_acknowledged(2));
  EXPECT_TRUE(is_put_back(second, 1s));
  EXPECT_EQ(counted("put-back"), 1);
  ASSERT_EQ(paused().size(), 1U);
  EXPECT_EQ(paused()[0].second, 1s);
  finish(std::move(open));
  ASSERT_TRUE(becomes(first, MailState::SENT));
  // What was put back had not been counted as under way: the pool has exactly its one place again.
  offer(second, 3);
  finish(channel_.next());
  EXPECT_TRUE(becomes(second, MailState::SENT));
}

TEST_F(EngineOffers, a_job_of_a_suspended_pool_is_put_back_for_longer) {
  LedgerOptions options;
  Pool suspended = default_mail_pool();
  suspended.status = PoolStatus::SUSPENDED;
  options.pools = {suspended};
  start(options);
  const JobId id = accept_one(new_job());
  offer(id, 1);
  EXPECT_TRUE(is_acknowledged(1));
  EXPECT_TRUE(is_put_back(id, 5s));
  ASSERT_EQ(paused().size(), 1U);
  EXPECT_EQ(paused()[0].second, 5s);
  EXPECT_EQ(channel_.delivered(), 0);
}

TEST_F(EngineOffers, while_the_route_is_down_jobs_are_put_back_and_no_attempt_is_burnt) {
  channel_.set_probe_answer(fail(ErrorKind::unavailable, "still down"));
  LedgerOptions options;
  options.routes.mail.probe_every = 20ms;
  start(options);
  const JobId first = accept_one(new_job());
  offer(first, 1);
  channel_.next().done(ScriptedChannel::failed(Verdict::route_fault, "connection refused"));
  ASSERT_TRUE(becomes(first, MailState::RETRY_PENDING));
  const JobId second = accept_one(new_job()), third = accept_one(new_job());
  ledger_->offer({Offer{{second, 1}, ChannelKind::mail, 2}, Offer{{third, 1}, ChannelKind::mail, 3}});
  EXPECT_TRUE(is_acknowledged(2));
  EXPECT_TRUE(is_acknowledged(3));
  EXPECT_TRUE(is_put_back(second, 5s));
  EXPECT_TRUE(is_put_back(third, 5s));
  EXPECT_EQ(channel_.delivered(), 1);
  ASSERT_EQ(paused().size(), 1U) << "one write a second is enough for a lane";
  EXPECT_EQ(paused()[0].second, 5s);
  channel_.set_probe_answer({});
  ASSERT_TRUE(eventually([&] { return ledger_->breakers().at(0).state == BreakerState::closed; }));
  offer(second, 4);
  finish(channel_.next());
  EXPECT_TRUE(becomes(second, MailState::SENT));
}

TEST_F(EngineOffers, a_host_in_trouble_is_probed_with_an_offered_job) {
  LedgerOptions options;
  options.routes.host.calls_min = 1;
  options.routes.host.probe_every = 2s;
  options.routes.host.good_probes_to_close = 1;
  options.webhooks.channel = &endpoint_;
  start(options);
  endpoint_.fail_next(1);
  const auto webhook = [&] { return accept_one(WebhookBuilder(tsids_->next(clock_.now()))); };
  const JobId first = webhook(), second = webhook();
  offer(first, 1, 1, ChannelKind::webhook);
  ASSERT_TRUE(eventually([&] { return ledger_->breakers().size() == 2; })) << "its breaker is open";
  offer(second, 2, 1, ChannelKind::webhook);
  ASSERT_TRUE(is_acknowledged(2));
  EXPECT_TRUE(is_put_back(second, 5s));
  EXPECT_EQ(endpoint_.delivered(second), 0);
  // Once a probe is due, a message brings it.
  Receipt receipt = 3;
  ASSERT_TRUE(eventually([&] {
    offer(second, receipt++, 1, ChannelKind::webhook);
    return endpoint_.delivered(second) > 0;
  }));
  EXPECT_TRUE(eventually([&] { return record(second).job.status == JobStatus::sent; }));
  EXPECT_TRUE(eventually([&] { return ledger_->breakers().size() == 1; })) << "it was the probe";
  EXPECT_EQ(counted("started", CarrierQueue::webhook_send), 2);
  EXPECT_EQ(endpoint_.delivered(second), 1);
}

TEST_F(EngineOffers, a_job_of_a_limited_pool_is_left_to_the_pools_home) {
  LedgerOptions options;
  Pool limited = default_mail_pool();
  limited.limited = true;
  options.pools = {limited};
  start(options);
  const JobId id = accept_one(new_job());
  offer(id, 1);
  EXPECT_TRUE(is_acknowledged(1));
  EXPECT_TRUE(is_put_back(id, 0s)) << "its home may take it at once";
  EXPECT_TRUE(eventually([&] { return counted("put-back") == 1; }));
  EXPECT_TRUE(paused().empty());
  EXPECT_EQ(channel_.delivered(), 0);
}

TEST_F(EngineOffers, an_exchange_that_fails_is_asked_again_and_then_acknowledged) {
  std::atomic<int> failures{3};
  outbox_->before_exchange = [&](const ExchangeRequest& request) -> std::optional<Error> {
    if (request.offers.empty() || failures.fetch_sub(1) <= 0) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (!acknowledged_.empty()) ADD_FAILURE() << "nothing was decided yet";
    return Error{ErrorKind::unavailable, "the database is away"};
  };
  start();
  const JobId id = accept_one(new_job());
  offer(id, 1);
  offer(id, 2);
  finish(channel_.next());
  EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_TRUE(is_acknowledged(1));
  EXPECT_TRUE(is_acknowledged(2));
  EXPECT_EQ(counted("started"), 1);
  EXPECT_EQ(counted("stale"), 1) << "the twin";
  EXPECT_LE(failures.load(), 0);
  ledger_.reset();  // its outbox asks what is here
}

TEST_F(EngineOffers, a_claim_whose_answer_was_lost_is_freed_for_the_next_message) {
  start();
  const JobId id = accept_one(new_job());
  // Only an exchange with offers: the ledger has nothing else to do.
  outbox_->lose_exchange_answers = 1;
  offer(id, 1);
  EXPECT_TRUE(is_acknowledged(1));
  offer(id, 2);
  finish(channel_.next());
  EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_EQ(record(id).job.attempts, 1);
  EXPECT_EQ(channel_.delivered(), 1);
}

TEST_F(EngineOffers, an_outcome_that_the_database_refuses_costs_no_message) {
  std::atomic<bool> refused{false};
  outbox_->before_exchange = [&](const ExchangeRequest& request) -> std::optional<Error> {
    for (const Settlement& one : request.settlements)
      if (one.decision.last_error.find("poison") != std::string::npos) {
        if (!request.offers.empty()) refused = true;
        return Error{ErrorKind::rejected_data, "22021: poison"};
      }
    return std::nullopt;
  };
  start();
  NewJob once = new_job();
  once.attempts_max = 1;
  const JobId bad = accept_one(std::move(once)), good = accept_one(new_job());
  offer(bad, 1);
  auto open = channel_.next();
  // Its outcome and the next message come into one exchange: the ledger is held up until both are there.
  std::promise<void> held, go;
  ledger_->dispatch({.batch_size = 1, .only = JobId{5}, .wait = 10s}, [&](Result<DispatchReport>) {
    held.set_value();
    go.get_future().wait();
  });
  held.get_future().wait();
  open.done(ScriptedChannel::failed(Verdict::transient, "poison"));
  offer(good, 2);
  go.set_value();
  finish(channel_.next());
  EXPECT_TRUE(becomes(good, MailState::SENT));
  EXPECT_TRUE(becomes(bad, MailState::FAILED));
  EXPECT_TRUE(refused);
  EXPECT_EQ(counted("stale"), 0);
  ledger_.reset();  // its outbox asks what is here
}

TEST_F(EngineOffers, an_order_claims_queued_mails_from_the_database_all_the_same) {
  start();
  const JobId id = accept_one(new_job());
  std::promise<DispatchReport> promise;
  ledger_->dispatch({.batch_size = 5, .only = {}, .wait = 10s},
                    [&](Result<DispatchReport> report) { promise.set_value(std::move(*report)); });
  finish(channel_.next());
  const DispatchReport report = promise.get_future().get();
  ASSERT_EQ(report.jobs.size(), 1U);
  EXPECT_EQ(report.jobs[0].id, id);
  EXPECT_EQ(report.jobs[0].status, JobStatus::sent);
  accept_one(new_job());
  EXPECT_FALSE(channel_.comes(100ms)) << "the order is done";
}

TEST_F(EngineOffers, whoever_publishes_is_told_of_the_next_in_a_group) {
  LedgerOptions options;
  options.webhooks.channel = &endpoint_;
  std::atomic<int> told{0};
  options.due_for_broker = [&](std::span<const LaneId> lanes) { told += static_cast<int>(lanes.size()); };
  start(options);
  const auto grouped = [&] {
    return accept_one(WebhookBuilder(tsids_->next(clock_.now())).in_group("orders"));
  };
  const JobId first = grouped(), second = grouped();
  ASSERT_EQ(record(second).job.status, JobStatus::blocked);
  offer(first, 1, 1, ChannelKind::webhook);
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  EXPECT_EQ(record(first).job.status, JobStatus::sent);
  EXPECT_EQ(record(second).job.status, JobStatus::queued) << "it is to be published first";
  EXPECT_EQ(endpoint_.delivered(second), 0);
  ledger_.reset();  // it tells a counter of this test
}

TEST_F(EngineOffers, says_what_a_job_waits_for) {
  start();
  Job job = record(accept_one(new_job())).job;
  auto why = ledger_->held_back(job);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("waits to be published"), std::string::npos) << *why;
  job.status = JobStatus::published;
  why = ledger_->held_back(job);
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("lies in the broker"), std::string::npos) << *why;
}

TEST_F(EngineOffers, at_a_stop_messages_that_wait_are_left_to_the_broker) {
  LedgerOptions options;
  Pool one = default_mail_pool();
  one.concurrency = 1;
  options.pools = {one};
  start(options);
  const JobId first = accept_one(new_job()), second = accept_one(new_job());
  offer(first, 1);
  ASSERT_TRUE(channel_.comes(10s));
  offer(second, 2);
  ledger_->stop(5s);
  EXPECT_EQ(acknowledged(), (std::vector<Receipt>{1}));
  for (const JobId id : {first, second}) {
    EXPECT_EQ(record(id).job.status, JobStatus::queued);
    EXPECT_EQ(record(id).job.attempts, 0);
    EXPECT_EQ(record(id).job.losses, 0);
  }
  offer(second, 3);  // a transport that stops after the ledger
}

}  // namespace
}  // namespace eilbote::test::engine_offers_test
