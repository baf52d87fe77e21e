// Strikes what was planned, when it was planned. Each part of the world has a thread of its own, so that a process is killed while
// a line is stalled; what comes more than a moment late is left out, since the one before took longer.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "chaos/fault_plan.h"
#include "chaos/world.h"

namespace eilbote::chaos {

class Storm {
 public:
  // Begins at once. What it starts (RabbitMQ) ends with its threads, so it lives as long as the world is needed.
  Storm(World& world, const std::vector<PlannedFault>& plan);
  ~Storm();

  // Until the last fault is over.
  void wait_until_over();
  std::map<FaultKind, int> struck() const;
  // What went wrong with the faults themselves; a line each.
  std::vector<std::string> troubles() const;

 private:
  void run(const std::vector<PlannedFault>& plan, const std::stop_token& stop);
  void strike_one(const PlannedFault& fault);

  World& world_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  int running_ = 0;
  std::map<FaultKind, int> struck_;
  std::vector<std::string> troubles_;
  std::vector<std::jthread> parts_;
};

}  // namespace eilbote::chaos
