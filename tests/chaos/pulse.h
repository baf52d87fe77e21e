// Feels whether this machine gives its processes time: when it does not for a while, everything on it was frozen, and the history
// says so. A run on a busy machine must not be judged as if Eilbote had been asleep by itself.
#pragma once

#include <thread>

#include "support/history.h"

namespace eilbote::chaos {

class Pulse {
 public:
  explicit Pulse(test::History& history);

 private:
  std::jthread thread_;
};

}  // namespace eilbote::chaos
