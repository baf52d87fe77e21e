// What the ledger's helpers do at the same time as it claims: outcomes settled aside, contents loaded and started.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "engine/departures.h"
#include "support/engine_fixture.h"
#include "support/eventually.h"

namespace eilbote::test::engine_pipeline_test {
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
      if (request.settlements.size() >= kAside && ++many_ == 1) on_many();
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
    std::promise<FinishedPtr> told;
    Courier courier(channel_, {}, *instance_, clock_, random_, metrics_, {},
                    [&](FinishedPtr finished) { told.set_value(std::move(finished)); });
    Departures departures(*outbox_, courier, 256,
                          {[](const Error& error) { ADD_FAILURE() << error.message; }, [] {}});
    departures.start();
    departures.add(claimed->claimed[0], false);
    departures.go();
    loading.get_future().wait();
    stops(departures);
    EXPECT_EQ(departures.waiting(), 1u);
    go_on.set_value();
    const FinishedPtr back = told.get_future().get();
    EXPECT_EQ(back->verdict, Verdict::released);
    EXPECT_EQ(channel_.delivered(), 0);
  }

  NewJob new_hook(const std::string& host) {
    NewJob job = new_job();
    job.channel = ChannelKind::webhook;
    job.route = host + ":443";
    job.webhook.target_url = "https://" + host + "/hook";
    return job;
  }
  void start_ledger_with(WebhookChannel& hooks, int requests_per_host_max, std::optional<int> rate = {}) {
    LedgerOptions options;
    options.webhooks.channel = &hooks;
    options.routes.requests_per_host_max = requests_per_host_max;
    options.pools = {default_mail_pool()};
    options.pools[0].rate_limit_per_minute = rate;
    options.pools[0].burst = 1000;
    start_ledger(std::move(options));
  }
  void expect_sent(const std::vector<JobId>& ids) {
    for (const JobId id : ids)
      EXPECT_TRUE(eventually([&] { return record(id).job.status == JobStatus::sent; }));
  }

  std::atomic<int> many_{0};  // exchanges with that many outcomes
};

DeliveryResult taken() {
  DeliveryResult result;
  result.verdict = Verdict::delivered;
  result.attempt_status = AttemptStatus::SUCCESS;
  return result;
}

// Answers as fast as it can, but for what it is told to keep; counts how many it has at once.
class FastHooks final : public WebhookChannel {
 public:
  // Which of a host's deliveries are kept, by their number from 0.
  using Keeps = std::function<bool(const std::string& host, int number)>;
  explicit FastHooks(Keeps keeps = [](const std::string&, int) { return false; })
      : keeps_(std::move(keeps)) {}

  void deliver(WebhookDelivery delivery, Done done) override {
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, ++at_once_);
    const std::string& host = delivery.job.route;
    (keeps_(host, seen_[host]++) ? kept_ : open_).push_back(std::move(done));
    arrived_.notify_one();
  }
  void release_waiting() override {}
  int most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }
  std::size_t kept() const {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }
  void answer_kept() {
    const std::lock_guard lock(mutex_);
    open_.insert(open_.end(), std::make_move_iterator(kept_.begin()), std::make_move_iterator(kept_.end()));
    kept_.clear();
    arrived_.notify_one();
  }

 private:
  void answer(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (arrived_.wait(lock, stop, [this] { return !open_.empty(); })) {
      const Done done = std::move(open_.front());
      open_.pop_front();
      --at_once_;  // before: the next may begin while `done` runs
      lock.unlock();
      done(taken());
      lock.lock();
    }
  }

  const Keeps keeps_;
  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::map<std::string, int> seen_;
  std::deque<Done> open_, kept_;
  int at_once_ = 0, most_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) { answer(stop); }};
};

// A fast host has jobs claimed ahead, but never more requests open than it may have.
TEST_F(PipelineTest, AHostHasNoMoreRequestsOpenThanItMay) {
  constexpr int kOpenMax = 8;
  FastHooks hooks([](const std::string&, int number) { return number >= 992; });
  std::vector<JobId> ids;
  for (int i = 0; i < 1000; ++i)
    ids.push_back(accept_one(new_hook("a.example")));
  start_ledger_with(hooks, kOpenMax);
  EXPECT_TRUE(eventually([&] { return hooks.kept() == kOpenMax; })) << "the last are all open at once";
  hooks.answer_kept();
  expect_sent(ids);
  EXPECT_EQ(hooks.most(), kOpenMax);
  ledger_.reset();  // before its channel
}

// However few the free slots are: nobody waits for more of them to come.
TEST_F(PipelineTest, RequestsThatHangLeaveTheOtherSlotsOfTheirHostInUse) {
  for (const int hanging : {1, 6, 7}) {
    FastHooks hooks([hanging](const std::string&, int number) { return number < hanging; });
    std::vector<JobId> ids;
    for (int i = 0; i < hanging; ++i)
      accept_one(new_hook("a.example"));
    for (int i = 0; i < 100; ++i)
      ids.push_back(accept_one(new_hook("a.example")));
    start_ledger_with(hooks, 8);
    expect_sent(ids);
    EXPECT_EQ(hooks.kept(), static_cast<std::size_t>(hanging));
    ledger_.reset();  // before its channel, which keeps them
  }
}

// A host that was fast and hangs now has some of a pool's rate; the pool's other hosts go on all the same.
TEST_F(PipelineTest, AHostThatHangsHoldsUpNobodyElseInAPoolWithARate) {
  FastHooks hooks(
      [](const std::string& host, int number) { return host == "a.example:443" && number >= 20; });
  for (int i = 0; i < 60; ++i)
    accept_one(new_hook("a.example"));
  start_ledger_with(hooks, 4, 60'000);
  ASSERT_TRUE(eventually([&] { return hooks.kept() == 4; }));
  std::vector<JobId> others;
  for (int i = 0; i < 20; ++i)
    others.push_back(accept_one(new_hook("b.example")));
  expect_sent(others);
  EXPECT_EQ(hooks.kept(), 4u);
  ledger_.reset();  // before its channel, which keeps them
}

// What is loaded and waits for its host can be taken back, and does not begin afterwards.
TEST_F(PipelineTest, WhatWaitsForItsHostIsHandedBack) {
  ExchangeRequest request;
  request.token = make_lease_token(instance_->epoch(), 1);
  for (int i = 0; i < 3; ++i)
    accept_one(new_hook("a.example"));
  request.lanes = {{real_->active_lanes()->lanes.at(0).lane, 3, std::nullopt}};
  const auto claimed = real_->exchange(request);
  ASSERT_EQ(claimed->claimed.size(), 3u);
  FastHooks hooks([](const std::string&, int) { return true; });
  std::promise<FinishedPtr> told;
  Courier courier(channel_, {&hooks, nullptr}, *instance_, clock_, random_, metrics_, {},
                  [&](FinishedPtr finished) { told.set_value(std::move(finished)); });
  Departures departures(*outbox_, courier, 1,
                        {[](const Error& error) { ADD_FAILURE() << error.message; }, [] {}});
  departures.start();
  for (const ClaimedJob& job : claimed->claimed)
    departures.add(job, false);
  departures.go();
  ASSERT_TRUE(eventually([&] { return hooks.kept() == 1 && departures.waiting() == 0; }));
  EXPECT_TRUE(departures.has_waiting("mail"));
  EXPECT_EQ(departures.hand_back([](const Job&) { return true; }).size(), 2u);
  EXPECT_FALSE(departures.has_waiting("mail"));
  hooks.answer_kept();
  const FinishedPtr first = told.get_future().get();
  departures.finished({first->settlement.id, first->settlement.token});
  departures.close();
  EXPECT_EQ(hooks.most(), 1);
}

TEST_F(PipelineTest, ManyOutcomesAreSettledAsideAndTheAnswerMayBeLost) {
  outbox_->lose_only_from = kAside;
  const std::vector<JobId> ids = finish_many_at_once([&] { outbox_->lose_exchange_answers = 1; });
  for (const JobId id : ids)
    EXPECT_TRUE(becomes(id, MailState::SENT));
  EXPECT_TRUE(eventually([&] { return many_ >= 2; })) << "settled together, and asked for again";
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
}  // namespace eilbote::test::engine_pipeline_test
