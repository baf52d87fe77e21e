#include "chaos/storm.h"

#include <exception>

#include "chaos/faults.h"

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;

constexpr auto kLateMax = 8s;

}  // namespace

Storm::Storm(World& world, const std::vector<PlannedFault>& plan) : world_(world) {
  std::map<WorldPart, std::vector<PlannedFault>> parts;
  for (const PlannedFault& fault : plan)
    parts[part_of(fault.kind)].push_back(fault);
  running_ = static_cast<int>(parts.size());
  for (auto& [part, faults] : parts)
    parts_.emplace_back([this, own = std::move(faults)](const std::stop_token& stop) { run(own, stop); });
}

Storm::~Storm() {
  for (std::jthread& part : parts_)
    part.request_stop();
}

void Storm::run(const std::vector<PlannedFault>& plan, const std::stop_token& stop) {
  for (const PlannedFault& fault : plan) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, stop, start_ + fault.at, [] { return false; });
    }
    if (stop.stop_requested()) break;
    if (std::chrono::steady_clock::now() <= start_ + fault.at + kLateMax) strike_one(fault);
  }
  std::unique_lock lock(mutex_);
  --running_;
  changed_.notify_all();
  // Processes that it started end with this thread.
  changed_.wait(lock, stop, [] { return false; });
}

void Storm::strike_one(const PlannedFault& fault) {
  try {
    const bool struck = strike(world_, fault);
    const std::lock_guard lock(mutex_);
    if (struck) ++struck_[fault.kind];
  } catch (const std::exception& trouble) {
    const std::lock_guard lock(mutex_);
    troubles_.push_back(std::string(kFaultKindNames.text(fault.kind)) + ": " + trouble.what());
  }
}

void Storm::wait_until_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == 0; });
}

std::map<FaultKind, int> Storm::struck() const {
  const std::lock_guard lock(mutex_);
  return struck_;
}

std::vector<std::string> Storm::troubles() const {
  const std::lock_guard lock(mutex_);
  return troubles_;
}

}  // namespace eilbote::chaos
