#include "transport/link_watch.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace eilbote {

void LinkSwitch::hold(int fd) {
  const int own = fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  const MutexLock lock(mutex_);
  if (fd_ >= 0) ::close(fd_);
  fd_ = own;
  if (is_cut_ && fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

void LinkSwitch::let_go() {
  hold(-1);
}

void LinkSwitch::cut() {
  const MutexLock lock(mutex_);
  is_cut_ = true;
  if (fd_ >= 0) ::shutdown(fd_, SHUT_RDWR);
}

void LinkSwitch::mend() {
  const MutexLock lock(mutex_);
  is_cut_ = false;
}

LinkWatch::LinkWatch() : service_("broker-watch", [this](const std::stop_token& stop) { run(stop); }) {}

void LinkWatch::watch(LinkSwitch& link, Steady due) {
  bool is_sooner = false;
  {
    const MutexLock lock(mutex_);
    due_[&link] = due;
    is_sooner = due < next_;
  }
  if (is_sooner) changed_.notify_one();
}

void LinkWatch::forget(LinkSwitch& link) {
  const MutexLock lock(mutex_);
  due_.erase(&link);
}

void LinkWatch::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Steady now = std::chrono::steady_clock::now();
    next_ = Steady::max();
    for (auto it = due_.begin(); it != due_.end();) {
      if (it->second <= now) {
        it->first->cut();  // under the lock: forget() is the promise that this is over
        it = due_.erase(it);
      } else {
        next_ = std::min(next_, it->second);
        ++it;
      }
    }
    // Not until the end of time: some libraries count that over. A sooner time wakes it.
    const Steady until = std::min(next_, now + std::chrono::hours{1});
    changed_.wait_until(mutex_, stop, until, [&]() EILBOTE_REQUIRES(mutex_) {
      const Steady next = next_;
      return std::any_of(due_.begin(), due_.end(), [&](const auto& entry) { return entry.second < next; });
    });
  }
}

}  // namespace eilbote
