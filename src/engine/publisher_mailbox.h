// What other threads leave for the publisher's thread, and what it waits on. The transport's answers hold on to the mailbox,
// not to the publisher: one that comes after the publisher's end finds it closed, and is dropped.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ports/transport.h"

namespace eilbote {

struct PublisherInbox {
  struct Watch {
    JobId id;
    Clock::Steady deadline{};
    std::function<void(bool)> done;
  };
  struct Carried {
    std::uint64_t batch = 0;
    std::vector<Carriage> answers;
  };
  std::set<LaneId> woken;
  bool wake_all = false;
  std::vector<Carried> carried;
  std::optional<std::vector<Carriage>> dead_carried;
  std::vector<Watch> watches;

  bool empty() const {
    return woken.empty() && !wake_all && carried.empty() && !dead_carried && watches.empty();
  }
};

class PublisherMailbox {
 public:
  using Steady = Clock::Steady;

  // False when it is closed: `leave` was not called.
  template <class Leave>
  bool post(Leave leave) {
    {
      const MutexLock lock(mutex_);
      if (closed_) return false;
      leave(inbox_);
    }
    changed_.notify_one();
    return true;
  }
  PublisherInbox take() {
    const MutexLock lock(mutex_);
    return std::exchange(inbox_, PublisherInbox{});
  }
  // Nothing is taken any more; what was left and not looked at comes back.
  PublisherInbox close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    return std::exchange(inbox_, PublisherInbox{});
  }

  // The first time counts.
  void ask_to_stop(Steady by) {
    {
      const MutexLock lock(mutex_);
      if (!stop_by_) stop_by_ = by;
    }
    changed_.notify_one();
  }
  std::optional<Steady> stop_by() const {
    const MutexLock lock(mutex_);
    return stop_by_;
  }

  // Until something is left here, or `until`, or the end is asked for by somebody (`stopping`: which is known).
  void wait(Steady until, bool stopping) {
    const MutexLock lock(mutex_);
    if (stopping && stop_by_) until = std::min(until, *stop_by_);
    changed_.wait_until(
        mutex_, until, [&]() EILBOTE_REQUIRES(mutex_) { return !inbox_.empty() || (stop_by_ && !stopping); });
  }

 private:
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  PublisherInbox inbox_ EILBOTE_GUARDED_BY(mutex_);
  std::optional<Steady> stop_by_ EILBOTE_GUARDED_BY(mutex_);
  bool closed_ EILBOTE_GUARDED_BY(mutex_) = false;
};

}  // namespace eilbote
