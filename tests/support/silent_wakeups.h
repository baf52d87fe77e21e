// Wake-ups that reach nobody, and count what they were told; for transports whose news travel another way.
#pragma once

#include <atomic>
#include <functional>

#include "ports/wakeups.h"

namespace eilbote::test {

class SilentWakeUps final : public WakeUps {
 public:
  void announce() override { ++announced; }
  void start(std::function<void()>) override { ++started; }
  void stop() override { ++stopped; }

  std::atomic<int> announced = 0, started = 0, stopped = 0;
};

}  // namespace eilbote::test
