// What the ledger says of its pools to people and to other threads. Written by the ledger's thread at each look-around, read by
// everybody.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/mutex.h"
#include "engine/pool_gate.h"

namespace eilbote {

class PoolNotes {
 public:
  void learn(std::span<const Pool> pools, PoolGate& gate, Clock::Steady now) {
    std::map<std::string, std::string> held;
    std::set<std::string> limited;
    for (const Pool& pool : pools) {
      if (auto words = gate.describe(pool.code, now)) held[pool.code] = std::move(*words);
      if (pool.limited) limited.insert(pool.code);
    }
    const MutexLock lock(mutex_);
    held_ = std::move(held);
    limited_ = std::move(limited);
  }
  // What holds a pool back, in words; absent: nothing.
  std::optional<std::string> held(const std::string& pool) const {
    const MutexLock lock(mutex_);
    const auto it = held_.find(pool);
    return it == held_.end() ? std::nullopt : std::optional(it->second);
  }
  bool is_limited(const std::string& pool) const {
    const MutexLock lock(mutex_);
    return limited_.contains(pool);
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> held_ EILBOTE_GUARDED_BY(mutex_);
  std::set<std::string> limited_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
