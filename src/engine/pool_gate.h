// How much may be started in a pool right now: concurrency, rate, suspension, and whether this instance is
// the home of a limited pool. Exact, because a limited pool has one home at a time. Used by the ledger's
// thread only; no I/O.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/pool.h"

namespace eilbote {

class PoolGate {
 public:
  using Steady = Clock::Steady;
  PoolGate(std::vector<Pool> pools, Steady now);

  // The limited pools this instance is the home of, from the last heartbeat. A pool that newly came home
  // starts with an empty bucket: its last home may have spent the minute's rate already.
  void set_homes(std::span<const std::string> homes, Steady now);

  int room(const std::string& pool, Steady now);
  void started(const std::string& pool, int n);
  void finished(const std::string& pool);
  int open(const std::string& pool) const;

  // When a pool without tokens gets its next one; absent when rate holds nothing back.
  std::optional<Steady> next_token(Steady now) const;

 private:
  struct State {
    Pool pool;
    bool home = false;
    int open = 0;
    double tokens = 0;
    Steady filled{};
  };
  static void refill(State& state, Steady now);

  std::map<std::string, State> pools_;
};

}  // namespace eilbote
