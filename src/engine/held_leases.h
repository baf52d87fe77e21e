// The leases of this process, from the claim to the settlement, under whatever epoch they were claimed. Changed by the
// ledger's thread; others may ask.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "domain/tsid.h"
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
  // The ids of the first few, for a person to look up.
  std::string names() const {
    constexpr std::size_t kNamed = 20;
    const std::vector<JobId> all = jobs();
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i)
      text += (text.empty() ? "" : ", ") + to_text(all[i]);
    return all.size() > kNamed ? text + ", ..." : text;
  }

 private:
  mutable Mutex mutex_;
  std::map<Lease, ChannelKind> held_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
