// Settles finished attempts on a thread of its own, while the ledger's thread claims and starts the next: two transactions
// at once keep two cores busy. One batch at a time; what came of it is told to `done`, on this thread, and what a database
// in trouble did not take comes back with the error. Used by the ledger only.
#pragma once

#include <condition_variable>
#include <functional>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/service.h"
#include "engine/settle_desk.h"

namespace eilbote {

class SideDesk {
 public:
  struct Settled {
    std::vector<FinishedPtr> finished;
    Result<Exchanged> result;
  };
  SideDesk(SettleDesk& desk, std::function<void(Settled)> done)
      : desk_(desk),
        done_(std::move(done)),
        service_("ledger-2", [this](const std::stop_token& stop) { run(stop); }) {}

  // Not before the last batch was told to `done`. The first one starts the thread.
  void begin(std::vector<FinishedPtr> batch) {
    service_.start();
    {
      const MutexLock lock(mutex_);
      batch_ = std::move(batch);
    }
    changed_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      std::vector<FinishedPtr> batch;
      {
        const MutexLock lock(mutex_);
        if (!changed_.wait(mutex_, stop, [this]() EILBOTE_REQUIRES(mutex_) { return batch_.has_value(); }))
          return;
        batch = std::move(*batch_);
        batch_.reset();
      }
      auto result = desk_.exchange({}, batch);
      done_({std::move(batch), std::move(result)});
    }
  }

  SettleDesk& desk_;
  const std::function<void(Settled)> done_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::vector<FinishedPtr>> batch_ EILBOTE_GUARDED_BY(mutex_);
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace eilbote
