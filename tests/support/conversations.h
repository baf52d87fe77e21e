// A thread per connection of a scripted server. One that is over is joined when the next begins: a run of an hour has more
// connections than a process may have stacks.
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace eilbote::test {

class Conversations {
 public:
  // From one thread only.
  void begin(std::function<void()> talk) {
    const std::lock_guard lock(mutex_);
    for (const auto& ended : over_) {
      ended->join();
      threads_.erase(ended);
    }
    over_.clear();
    const auto place = threads_.emplace(threads_.end());
    *place = std::thread([this, place, talk = std::move(talk)] {
      talk();
      const std::lock_guard over(mutex_);
      over_.push_back(place);
    });
  }
  // Once none begins any more.
  void join() {
    for (std::thread& thread : threads_)
      thread.join();
    threads_.clear();
  }

 private:
  std::mutex mutex_;
  std::list<std::thread> threads_;
  std::vector<std::list<std::thread>::iterator> over_;
};

}  // namespace eilbote::test
