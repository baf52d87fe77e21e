#include "transport/sqs_loop.h"

namespace eilbote {

void SqsLoop::post(Errand errand) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    errands_.push_back(std::move(errand));
  }
  changed_.notify_one();
}

void SqsLoop::after(Duration wait, Errand errand) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    later_.emplace(now() + wait, std::move(errand));
  }
  changed_.notify_one();
}

void SqsLoop::run() {
  while (const Errand errand = next())
    errand();
}

void SqsLoop::end() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
}

SqsLoop::Errand SqsLoop::next() {
  const MutexLock lock(mutex_);
  while (!ended_) {
    const auto first = later_.begin();
    if (first != later_.end() && first->first <= now()) {
      Errand errand = std::move(first->second);
      later_.erase(first);
      return errand;
    }
    if (!errands_.empty()) {
      Errand errand = std::move(errands_.front());
      errands_.pop_front();
      return errand;
    }
    if (first == later_.end())
      changed_.wait(mutex_);
    else
      changed_.wait_for(mutex_, first->first - now());
  }
  return {};
}

}  // namespace eilbote
