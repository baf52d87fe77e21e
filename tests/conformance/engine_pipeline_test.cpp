// What the ledger's helpers do at the same time as it claims: outcomes settled aside, contents loaded and started.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "engine/departures.h"
#include "support/engine_fixture.h"
#include "support/eventually.h"

namespace eilbote::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMany = 100;
constexpr std::size_t kAside = 48;  // so many are worth a transaction of their own

class PipelineTest : public EngineFixture {
 protected:
  ~PipelineTest() override { ledger_.reset(); }  // before what it calls

  // Many jobs end while the store is busy with the first outcomes; the others are settled together, and the first time
  // `on_many` is called before it.
  std::vector<JobId> finish_many_at_once(std::function<void()> on_many) {
    std::promise<void> go_on;
    outbox_->before_exchange = [this, busy = go_on.get_future().share(), on_many = std::move(on_many)](
                                   const ExchangeRequest& request) -> std::optional<Error> {
      if (request.settlements.empty()) return std::nullopt;
      busy.wait();
      if (request.settlements.size() >= kAside && !seen_many_.exchange(true)) on_many();
      return std::nullopt;
    };
    start_ledger();
    std::vector<JobId> ids;
    for (std::size_t i = 0; i < kMany; ++i)
      ids.push_back(accept_one(new_job()));
    std::vector<ScriptedChannel::Open> open;
    for (std::size_t i = 0; i < kMany; ++i)
      open.push_back(channel_.next());
    for (const auto& one : open)
      one.done(ScriptedChannel::taken(one.delivery));
    go_on.set_value();
    return ids;
  }

  // A content is on its way while this happens: its job is not started any more.
  void comes_back_when(const std::function<void(Departures&)>& stops) {
    std::promise<void> loading, go_on;
    outbox_->before_load = [&]() -> std::optional<Error> {
      loading.set_value();
      go_on.get_future().wait();
      return std::nullopt;
    };
    const JobId id = accept_one(new_job());
    ExchangeRequest request;
    request.token = make_lease_token(instance_->epoch(), 1);
    request.claim_one = id;
    const auto claimed = real_->exchange(request);
    ASSERT_EQ(claimed->claimed.size(), 1u);
    std::promise<Finished> told;
    Courier courier(channel_, {}, *instance_, clock_, random_, metrics_, {},
                    [&](Finished finished) { told.set_value(std::move(finished)); });
    Departures departures(*outbox_, courier, 256,
                          {[](const Error& error) { ADD_FAILURE() << error.message; }, [] {}});
    departures.add(claimed->claimed[0], false);
    departures.go();
    loading.get_future().wait();
    stops(departures);
    EXPECT_EQ(departures.waiting(), 1u);
    go_on.set_value();
    const Finished back = told.get_future().get();
    EXPECT_EQ(back.verdict, Verdict::released);
    EXPECT_EQ(channel_.delivered(), 0);
  }

  std::atomic<bool> seen_many_{false};
};

// Answers as fast as it can, and counts how many it has at once.
class CountingHooks final : public WebhookChannel {
 public:
  void deliver(WebhookDelivery /*delivery*/, Done done) override {
    const std::lock_guard lock(mutex_);
    open_.push_back(std::move(done));
    most_ = std::max(most_, ++at_once_);
    arrived_.notify_one();
  }
  void release_waiting() override {}
  int most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  void answer(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (arrived_.wait(lock, stop, [this] { return !open_.empty(); })) {
      const Done done = std::move(open_.front());
      open_.pop_front();
      --at_once_;
      lock.unlock();
      DeliveryResult result;
      result.verdict = Verdict::delivered;
      result.attempt_status = AttemptStatus::SUCCESS;
      done(std::move(result));
      lock.lock();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<Done> open_;
  int at_once_ = 0, most_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) { answer(stop); }};
};

// A fast host has jobs claimed ahead, but never more requests open than it may have.
TEST_F(PipelineTest, AHostHasNoMoreRequestsOpenThanItMay) {
  constexpr int kOpenMax = 8, kJobs = 1000;
  std::vector<JobId> ids;
  for (int i = 0; i < kJobs; ++i) {
    NewJob job = new_job();
    job.channel = ChannelKind::webhook;
    job.route = "a.example:443";
    job.webhook.target_url = "https://a.example/hook";
    ids.push_back(accept_one(std::move(job)));
  }
  CountingHooks hooks;
  LedgerOptions options;
  options.webhooks.channel = &hooks;
  options.routes.requests_per_host_max = kOpenMax;
  start_ledger(options);
  for (const JobId id : ids)
    EXPECT_TRUE(eventually([&] { return record(id).job.status == JobStatus::sent; }));
  EXPECT_EQ(hooks.most(), kOpenMax);
  ledger_.reset();  // before its channel
}

TEST_F(PipelineTest, ManyOutcomesAreSettledAsideAndTheAnswerMayBeLost) {
  const std::vector<JobId> ids = finish_many_at_once([&] { outbox_->lose_exchange_answers = 1; });
  for (const JobId id : ids)
    EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_TRUE(seen_many_) << "they were not settled together";
  EXPECT_EQ(channel_.delivered(), static_cast<int>(kMany)) << "nothing goes out again";
}

TEST_F(PipelineTest, ClaimsGoOnWhileOutcomesAreSettled) {
  std::promise<void> reached, go_on;
  const auto rest = go_on.get_future().share();
  const std::vector<JobId> ids = finish_many_at_once([&] {
    reached.set_value();
    rest.wait();
  });
  ASSERT_EQ(reached.get_future().wait_for(10s), std::future_status::ready);
  const JobId next = accept_one(new_job());
  auto open = channel_.next();
  EXPECT_EQ(open.delivery.job.id, next);
  EXPECT_EQ(record(ids.back()).job.status, JobStatus::dispatching) << "its outcome is not settled yet";
  go_on.set_value();
  open.done(ScriptedChannel::taken(open.delivery));
  EXPECT_TRUE(becomes(next, MailState::SENT));
  for (const JobId id : ids)
    EXPECT_TRUE(becomes(id, MailState::SENT));
}

TEST_F(PipelineTest, AContentThatCannotBeLoadedIsAskedForAgain) {
  std::atomic<int> asked{0};
  outbox_->before_load = [&]() -> std::optional<Error> {
    if (++asked <= 2) return Error{ErrorKind::unavailable, "on purpose"};
    return std::nullopt;
  };
  start_ledger();
  const JobId id = accept_one(new_job());
  auto open = channel_.next();
  EXPECT_EQ(asked, 3);
  open.done(ScriptedChannel::taken(open.delivery));
  EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_EQ(record(id).job.attempts, 1);
}

TEST_F(PipelineTest, WhatIsLoadedAfterTheCloseIsHandedBack) {
  comes_back_when([](Departures& departures) { departures.close(); });
}

TEST_F(PipelineTest, WhatIsLoadedWhenItsRouteGoesDownIsHandedBack) {
  comes_back_when([](Departures& departures) {
    const auto mails = [](const Job& job) { return job.channel == ChannelKind::mail; };
    EXPECT_EQ(departures.hand_back(mails).size(), 0u) << "it is being loaded, and comes back later";
  });
}

}  // namespace
}  // namespace eilbote::test
