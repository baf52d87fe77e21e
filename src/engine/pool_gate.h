// How much may be started in a pool right now: concurrency, rate, suspension, and whether this instance is
// the home of a limited pool. Exact, because a limited pool has one home at a time and the bucket is counted in whole
// numbers: in no minute more starts than rate + burst. Used by the ledger's thread only; no I/O.
#pragma once

#include <map>
#include <optional>
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

  // The pools as people have set them now; limits hold from here on. Lower concurrency: nothing starts until enough
  // has finished. Another rate: what was saved up stays, up to the new burst. Pools not named stay as they are.
  void learn(std::span<const Pool> pools, Steady now);

  // The limited pools this instance is the home of, from the last heartbeat. A pool that newly came home
  // starts with an empty bucket: its last home may have spent the minute's rate already.
  void set_homes(std::span<const std::string> homes, Steady now);

  // 0 for a pool that is not known (yet).
  int room(const std::string& pool, Steady now);
  void started(const std::string& pool, int n);
  void finished(const std::string& pool);
  // What was claimed has not begun yet; until room() is asked for again. When that lasts, no rate is earned meanwhile: it
  // would begin together with what follows.
  void hold(const std::string& pool, Steady now);
  int open(const std::string& pool) const;

  bool has_rate(const std::string& pool) const;
  bool is_limited(const std::string& pool) const;
  bool is_suspended(const std::string& pool) const;
  // Limited, and another instance is its home.
  bool is_elsewhere(const std::string& pool) const;
  // What holds the pool back, in words that go on a page ("the pool 'x' is suspended"); absent when nothing does.
  std::optional<std::string> describe(const std::string& pool, Steady now);

  // When a pool that only waits for its rate gets its next token; absent when rate holds nothing back.
  std::optional<Steady> next_token(Steady now) const;

 private:
  // A token is kTokenCost of credit, a nanosecond earns rate_limit_per_minute: whole numbers, nothing is ever rounded.
  struct State {
    Pool pool;
    bool known = false;  // false: something was started in it before it was learnt
    bool home = false;
    int open = 0;
    std::int64_t credit = 0;
    Steady filled{};
    std::optional<Steady> held_since;

    bool flows() const;  // neither suspended nor at home elsewhere
    std::int64_t credit_at(Steady now) const;
    void refill(Steady now);
    int room(Steady now);
    Steady token_at(Steady now) const;  // when there is a whole token, at the earliest
  };
  void learn_one(const Pool& pool, Steady now);

  std::map<std::string, State> pools_;
};

}  // namespace eilbote
