// The gate readers pass through. The writer closes it for the moment in which the WAL starts over: that takes
// a moment without readers, which under steady reading would never come by itself.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace eilbote::sqlite {

class ReadGate {
 public:
  // Waits while the gate is closed.
  void enter() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !closed_; });
    ++inside_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) changed_.notify_all();
  }

  // Lets nobody in and waits until everybody is out; false (and open again) when that takes longer than
  // `patience`.
  bool close(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    if (changed_.wait_for(lock, patience, [this] { return inside_ == 0; })) return true;
    closed_ = false;
    changed_.notify_all();
    return false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  int inside_ = 0;
};

}  // namespace eilbote::sqlite
