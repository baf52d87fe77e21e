// An engine on a real SQLite outbox in a temporary folder, with a channel whose answers the test gives.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "base/random.h"
#include "domain/public_state.h"
#include "domain/tsid.h"
#include "engine/instance.h"
#include "engine/intake.h"
#include "engine/ledger.h"
#include "metrics/metrics.h"
#include "store/store.h"
#include "support/faulty_outbox.h"
#include "support/scripted_channel.h"
#include "support/temp_folder.h"

namespace eilbote::test {

inline Pool default_mail_pool() {
  Pool pool;
  pool.code = pool.name = "mail";
  return pool;
}

class EngineFixture : public testing::Test {
 protected:
  explicit EngineFixture(std::vector<Pool> pools = {default_mail_pool()}) {
    StoreOptions options;
    options.url = "sqlite:" + folder_ / "outbox.db";
    options.pools = std::move(pools);
    auto opened = open_store(options, clock_);
    if (!opened) throw std::runtime_error(opened.error().message);
    real_ = std::move(opened->outbox);
    care_ = std::move(opened->care);
    outbox_ = std::make_unique<FaultyOutbox>(*real_);
    instance_ = std::make_unique<Instance>(*care_, clock_, "test", std::chrono::seconds{60});
    if (auto begun = instance_->begin(); !begun) throw std::runtime_error(begun.error().message);
    tsids_ = std::make_unique<TsidFactory>(instance_->epoch());
  }

  Ledger& start_ledger(LedgerOptions options = {}) {
    if (options.pools.empty()) options.pools = {default_mail_pool()};
    options.courier.mail_policy.strategy = RetryStrategy::immediate;
    ledger_ = make_ledger(*outbox_, *care_, channel_, *instance_, clock_, random_, metrics_, options);
    ledger_->start();
    return *ledger_;
  }
  Intake& start_intake(IntakeLimits limits = {}) {
    intake_ = make_intake(*outbox_, clock_, metrics_, limits, [this](std::span<const LaneId> lanes) {
      if (ledger_) ledger_->wake(lanes);
    });
    intake_->start();
    return *intake_;
  }

  NewJob new_job(const std::string& to = "a@example.org") {
    NewJob job;
    job.id = tsids_->next(clock_.now());
    job.client = ClientName{"local"};
    job.pool = "mail";
    job.mail.sender = "s@example.org";
    job.mail.recipients = {{RecipientKind::to, to, RecipientStatus::waiting, ""}};
    job.mail.mime = "Message-ID: <" + to_text(job.id) + "@test>\r\n\r\nhello\r\n";
    job.mail.meta = "{}";
    return job;
  }

  // Hands a job in and returns a future of the answer.
  std::future<IntakeAnswer> hand_in(NewJob job) {
    auto promise = std::make_shared<std::promise<IntakeAnswer>>();
    auto future = promise->get_future();
    if (!intake_->accept(std::move(job), {}, [promise](IntakeAnswer answer) { promise->set_value(answer); }))
      promise->set_exception(std::make_exception_ptr(std::runtime_error("refused: the queue is full")));
    return future;
  }
  JobId accept_one(NewJob job) {
    const auto outcome = real_->accept(std::span(&job, 1), AcceptRun::first);
    if (!outcome) throw std::runtime_error(outcome.error().message);
    if (ledger_) ledger_->wake(std::vector{outcome->at(0).lane});
    return outcome->at(0).id;
  }

  JobRecord record(JobId id) { return real_->find(id, std::nullopt).value().value(); }
  // Waits until the job is in this state; the ledger settles in its own time.
  testing::AssertionResult becomes(JobId id, MailState want,
                                   std::chrono::seconds patience = std::chrono::seconds{10}) {
    const auto until = std::chrono::steady_clock::now() + patience;
    MailState seen{};
    std::mutex mutex;
    std::condition_variable never;
    do {
      seen = mail_state(record(id).job);
      if (seen == want) return testing::AssertionSuccess();
      std::unique_lock lock(mutex);
      never.wait_for(lock, std::chrono::milliseconds{2});
    } while (std::chrono::steady_clock::now() < until);
    return testing::AssertionFailure() << "still " << kMailStateNames.text(seen);
  }

  TempFolder folder_;
  SystemClock clock_;
  SystemRandom random_;
  Metrics metrics_;
  ScriptedChannel channel_;
  std::unique_ptr<Outbox> real_;
  std::unique_ptr<OutboxCare> care_;
  std::unique_ptr<FaultyOutbox> outbox_;
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<TsidFactory> tsids_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Intake> intake_;
};

}  // namespace eilbote::test
