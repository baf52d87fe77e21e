// This instance's life in the database: its epoch, its heartbeat, and how long it may trust its own leases.
// Trust ends, on the monotonic clock, before the database would give the leases away; it is counted from
// before the heartbeat was sent, so that a slow answer never stretches it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "ports/outbox_care.h"

namespace eilbote {

class Instance {
 public:
  // `takes_homes`: whether it may become the home of limited pools; not one that delivers nothing.
  Instance(OutboxCare& care, const Clock& clock, std::string name, Duration lease, bool takes_homes = true);

  // Takes an epoch. Called once before anything else.
  Result<void> begin();
  // Every few seconds, by upkeep. When the lease was over already (a frozen process, a long outage), takes a
  // new epoch: what the old one held is other people's now, and its settles will be stale.
  Result<void> beat();
  void end();

  Epoch epoch() const { return Epoch{epoch_.load()}; }
  // Whether work may be started under the current epoch. From any thread.
  bool trusted() const;
  // The limited pools this instance is the home of; none while it is not trusted, or since it began anew: another one
  // may have them by now.
  std::vector<std::string> home_pools() const;
  // How many other instances were on this database at the last beat.
  int peers() const { return peers_.load(); }
  bool is_alone() const { return peers() == 0; }

 private:
  OutboxCare& care_;
  const Clock& clock_;
  const std::string name_;
  const Duration lease_;
  const bool takes_homes_;
  std::atomic<std::int32_t> epoch_{0};
  std::atomic<std::int64_t> trusted_until_{0};  // steady clock, microseconds
  std::atomic<int> peers_{0};
  mutable Mutex mutex_;
  std::vector<std::string> homes_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
