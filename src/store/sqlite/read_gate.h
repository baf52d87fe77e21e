// The gate readers pass through. The writer closes it for the moment in which the WAL starts over: that takes
// a moment without readers, which under steady reading would never come by itself.
#pragma once

#include <chrono>
#include <condition_variable>

#include "base/mutex.h"

namespace eilbote::sqlite {

class ReadGate {
 public:
  // Waits while the gate is closed.
  void enter() {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [this]() EILBOTE_REQUIRES(mutex_) { return !closed_; });
    ++inside_;
  }
  void leave() {
    const MutexLock lock(mutex_);
    if (--inside_ == 0) changed_.notify_all();
  }

  // Lets nobody in and waits until everybody is out; false (and open again) when that takes longer than
  // `patience`.
  bool close(std::chrono::milliseconds patience) {
    const MutexLock lock(mutex_);
    closed_ = true;
    const auto is_empty = [this]() EILBOTE_REQUIRES(mutex_) { return inside_ == 0; };
    if (changed_.wait_for(mutex_, patience, is_empty)) return true;
    closed_ = false;
    changed_.notify_all();
    return false;
  }
  void open() {
    const MutexLock lock(mutex_);
    closed_ = false;
    changed_.notify_all();
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool closed_ EILBOTE_GUARDED_BY(mutex_) = false;
  int inside_ EILBOTE_GUARDED_BY(mutex_) = 0;
};

}  // namespace eilbote::sqlite
