// One thread's list of errands: the SQS transport's parts run on it alone, so none of them needs a lock. Errands come from
// any thread; they are short and never block.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>

#include "base/clock.h"
#include "base/mutex.h"

namespace eilbote {

class SqsLoop {
 public:
  using Errand = std::function<void()>;

  explicit SqsLoop(const Clock& clock) : clock_(clock) {}

  // After end() nothing is run any more.
  void post(Errand errand);
  void after(Duration wait, Errand errand);
  Clock::Steady now() const { return clock_.steady_now(); }

  // Runs errands until end().
  void run();
  void end();

 private:
  // The next errand; waits for it. Empty at the end.
  Errand next();

  const Clock& clock_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  // Bounded by what is under way: each request, publish and acknowledgement has a few errands here.
  std::deque<Errand> errands_ EILBOTE_GUARDED_BY(mutex_);
  std::multimap<Clock::Steady, Errand> later_ EILBOTE_GUARDED_BY(mutex_);
  bool ended_ EILBOTE_GUARDED_BY(mutex_) = false;
};

}  // namespace eilbote
