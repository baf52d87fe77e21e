// The leases of this process, from the claim to the settlement, under whatever epoch they were claimed. Changed by the
// ledger's thread; others may ask.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "ports/channel.h"

namespace eilbote {

class HeldLeases {
 public:
  void add(const Lease& lease, ChannelKind channel) {
    const MutexLock lock(mutex_);
    held_[lease] = channel;
  }
  void remove(const Lease& lease) {
    const MutexLock lock(mutex_);
    held_.erase(lease);
  }
  std::size_t size() const {
    const MutexLock lock(mutex_);
    return held_.size();
  }
  bool contains(const Lease& lease) const {
    const MutexLock lock(mutex_);
    return held_.contains(lease);
  }
  // Of one channel or of both; each job once.
  std::vector<JobId> jobs(std::optional<ChannelKind> only = std::nullopt) const {
    std::vector<JobId> ids;
    const MutexLock lock(mutex_);
    for (const auto& [lease, channel] : held_)
      if ((!only || channel == *only) && (ids.empty() || ids.back() != lease.first))
        ids.push_back(lease.first);
    return ids;
  }

 private:
  mutable Mutex mutex_;
  std::map<Lease, ChannelKind> held_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
