#include "engine/pool_gate.h"

#include <algorithm>
#include <cmath>

namespace eilbote {
namespace {

double tokens_per_second(const Pool& pool) {
  return *pool.rate_limit_per_minute / 60.0;
}

}  // namespace

PoolGate::PoolGate(std::vector<Pool> pools, Steady now) {
  for (Pool& pool : pools) {
    const std::string code = pool.code;
    pools_[code] = State{std::move(pool), false, 0, 0, now};
  }
}

void PoolGate::set_homes(std::span<const std::string> homes, Steady now) {
  for (auto& [code, state] : pools_) {
    const bool home = std::find(homes.begin(), homes.end(), code) != homes.end();
    if (home && !state.home) {
      state.tokens = 0;
      state.filled = now;
    }
    state.home = home;
  }
}

void PoolGate::refill(State& state, Steady now) {
  if (!state.pool.rate_limit_per_minute) return;
  const double passed = std::chrono::duration<double>(now - state.filled).count();
  state.tokens =
      std::min<double>(std::max(state.pool.burst, 1), state.tokens + passed * tokens_per_second(state.pool));
  state.filled = now;
}

int PoolGate::room(const std::string& pool, Steady now) {
  const auto it = pools_.find(pool);
  if (it == pools_.end()) return 0;
  State& state = it->second;
  if (state.pool.status == PoolStatus::SUSPENDED) return 0;
  if (state.pool.limited && !state.home) return 0;
  int room = std::max(0, state.pool.concurrency - state.open);
  if (state.pool.rate_limit_per_minute) {
    refill(state, now);
    room = std::min(room, static_cast<int>(std::floor(state.tokens + 1e-9)));
  }
  return room;
}

void PoolGate::started(const std::string& pool, int n) {
  const auto it = pools_.find(pool);
  if (it == pools_.end()) return;
  it->second.open += n;
  if (it->second.pool.rate_limit_per_minute) it->second.tokens -= n;
}

void PoolGate::finished(const std::string& pool) {
  const auto it = pools_.find(pool);
  if (it != pools_.end()) --it->second.open;
}

int PoolGate::open(const std::string& pool) const {
  const auto it = pools_.find(pool);
  return it == pools_.end() ? 0 : it->second.open;
}

std::optional<PoolGate::Steady> PoolGate::next_token(Steady now) const {
  std::optional<Steady> earliest;
  for (const auto& [code, state] : pools_) {
    if (!state.pool.rate_limit_per_minute || state.tokens >= 1) continue;
    const double missing =
        1 - state.tokens -
        std::chrono::duration<double>(now - state.filled).count() * tokens_per_second(state.pool);
    const auto wait = std::chrono::duration<double>(std::max(0.0, missing) / tokens_per_second(state.pool));
    const Steady at = now + std::chrono::ceil<std::chrono::milliseconds>(wait);
    if (!earliest || at < *earliest) earliest = at;
  }
  return earliest;
}

}  // namespace eilbote
