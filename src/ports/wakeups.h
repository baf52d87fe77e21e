// Tells other instances that there is new work. Only a hint: what is lost is found by the ledger's own
// look-around.
#pragma once

#include <functional>

namespace eilbote {

class WakeUps {
 public:
  virtual ~WakeUps() = default;
  // Says "new work" to the other instances, at most once per 10 ms; never blocks.
  virtual void announce() = 0;
  // Calls `on_work` (from a thread of its own) when another instance announced; until stop().
  virtual void start(std::function<void()> on_work) = 0;
  virtual void stop() = 0;
};

}  // namespace eilbote
