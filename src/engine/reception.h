// The reception: takes a broker's messages from the transport, reads which job each is about, and offers that to the ledger. What
// cannot be read is acknowledged at once, counted and logged, so that it never comes again. Called by the transport's threads
// (Transport::Hooks::arrive); never blocks. What a crash loses here the broker delivers again.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/ledger.h"
#include "ports/transport.h"

namespace eilbote {

struct Metrics;

class Reception {
 public:
  // `acknowledge` as in LedgerOptions. The ledger outlives it, and is told of messages until the transport has stopped.
  Reception(Ledger& ledger, std::function<void(std::span<const Receipt>)> acknowledge, const Clock& clock,
            Metrics& metrics)
      : ledger_(ledger), acknowledge_(std::move(acknowledge)), clock_(clock), metrics_(metrics) {}

  void arrive(const std::vector<Arrival>& arrivals);

 private:
  void complain(CarrierQueue queue, const Error& error);

  Ledger& ledger_;
  const std::function<void(std::span<const Receipt>)> acknowledge_;
  const Clock& clock_;
  Metrics& metrics_;
  Mutex mutex_;
  std::optional<Clock::Steady> complained_ EILBOTE_GUARDED_BY(mutex_);
  int unsaid_ EILBOTE_GUARDED_BY(mutex_) = 0;  // malformed ones since then
};

}  // namespace eilbote
