// Wakes a thread out of poll(); any number of signals counts as one. ring() from any thread, also from a stop_callback.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/assert.h"

namespace eilbote {

class Bell {
 public:
  Bell() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { EILBOTE_ASSERT(fd_ >= 0); }
  ~Bell() { ::close(fd_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring() {
    const std::uint64_t one = 1;
    // It only fails when the counter is full, and then it rings already.
    [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
  }
  void silence() {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(fd_, &count, sizeof count);
  }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace eilbote
