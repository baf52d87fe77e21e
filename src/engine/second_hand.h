// A thread that does a piece of work beside its owner, who waits for it afterwards. Used by the settle desk: two
// transactions at once keep two cores of a database busy.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/service.h"

namespace eilbote {

class SecondHand {
 public:
  explicit SecondHand(std::string name)
      : service_(std::move(name), [this](const std::stop_token& stop) { run(stop); }) {
    service_.start();
  }

  // One at a time: wait() comes before the next begin().
  void begin(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = std::move(work);
    }
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !work_; });
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return static_cast<bool>(work_); })) return;
      lock.unlock();
      work_();  // nobody touches it before it is done
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::function<void()> work_;
  Service service_;  // last: it ends before what its thread uses
};

}  // namespace eilbote
