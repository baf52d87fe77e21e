#include "engine/pool_gate.h"

#include <fmt/format.h>

#include <algorithm>

namespace eilbote {
namespace {

constexpr std::int64_t kTokenCost = 60'000'000'000;  // nanoseconds of a minute at a rate of one

constexpr Duration kShortWait = std::chrono::milliseconds{100};  // until a content is loaded

std::int64_t capacity(const Pool& pool) {
  return std::max(pool.burst, 1) * kTokenCost;
}

// Nanoseconds until `missing` credit is there.
std::int64_t time_to_earn(std::int64_t missing, int rate) {
  return missing <= 0 ? 0 : (missing + rate - 1) / rate;
}

}  // namespace

bool PoolGate::State::flows() const {
  return known && pool.status != PoolStatus::SUSPENDED && (!pool.limited || home);
}

std::int64_t PoolGate::State::credit_at(Steady now) const {
  const std::int64_t full = capacity(pool);
  const std::int64_t passed = std::chrono::nanoseconds(now - filled).count();
  // Asked this way round, long idle times cannot overflow.
  if (passed >= time_to_earn(full - credit, *pool.rate_limit_per_minute)) return full;
  return credit + std::max<std::int64_t>(passed, 0) * *pool.rate_limit_per_minute;
}

void PoolGate::State::refill(Steady now) {
  if (!pool.rate_limit_per_minute) return;
  const bool held = held_since && now - *held_since >= kShortWait;
  if (!held) credit = credit_at(now);
  filled = std::max(filled, now);
}

Clock::Steady PoolGate::State::token_at(Steady now) const {
  return now +
         std::chrono::nanoseconds{time_to_earn(kTokenCost - credit_at(now), *pool.rate_limit_per_minute)};
}

PoolGate::PoolGate(std::vector<Pool> pools, Steady now) {
  learn(pools, now);
}

void PoolGate::learn(std::span<const Pool> pools, Steady now) {
  for (const Pool& pool : pools)
    learn_one(pool, now);
}

void PoolGate::learn_one(const Pool& pool, Steady now) {
  State& state = pools_[pool.code];
  const bool had_rate = state.known && state.pool.rate_limit_per_minute;
  if (had_rate) state.refill(now);  // at the rate that held until now
  state.pool = pool;
  state.known = true;
  if (!pool.rate_limit_per_minute) return;
  // Without a rate before, the minute behind us may have seen any number of starts.
  state.credit = had_rate ? std::min(state.credit, capacity(pool)) : 0;
  state.filled = now;
}

void PoolGate::set_homes(std::span<const std::string> homes, Steady now) {
  for (auto& [code, state] : pools_) {
    const bool home = std::find(homes.begin(), homes.end(), code) != homes.end();
    if (home && !state.home) {
      state.credit = 0;
      state.filled = now;
    }
    state.home = home;
  }
}

int PoolGate::room(const std::string& pool, Steady now) {
  const auto it = pools_.find(pool);
  if (it == pools_.end()) return 0;
  it->second.held_since.reset();
  return it->second.room(now);
}

int PoolGate::State::room(Steady now) {
  if (!flows()) return 0;
  std::int64_t room = pool.concurrency - open;
  if (pool.rate_limit_per_minute) {
    refill(now);
    room = std::min(room, credit / kTokenCost);
  }
  return static_cast<int>(std::max<std::int64_t>(room, 0));
}

void PoolGate::started(const std::string& pool, int n) {
  State& state = pools_[pool];
  state.open += n;
  if (state.pool.rate_limit_per_minute) state.credit -= n * kTokenCost;
}

void PoolGate::finished(const std::string& pool) {
  const auto it = pools_.find(pool);
  if (it != pools_.end()) --it->second.open;
}

void PoolGate::hold(const std::string& pool, Steady now) {
  const auto it = pools_.find(pool);
  if (it == pools_.end()) return;
  State& state = it->second;
  if (!state.held_since) state.held_since = now;
  state.refill(now);
}

int PoolGate::open(const std::string& pool) const {
  const auto it = pools_.find(pool);
  return it == pools_.end() ? 0 : it->second.open;
}

bool PoolGate::has_rate(const std::string& pool) const {
  const auto it = pools_.find(pool);
  return it != pools_.end() && it->second.pool.rate_limit_per_minute.has_value();
}

bool PoolGate::is_limited(const std::string& pool) const {
  const auto it = pools_.find(pool);
  return it != pools_.end() && it->second.pool.limited;
}

bool PoolGate::is_suspended(const std::string& pool) const {
  const auto it = pools_.find(pool);
  return it != pools_.end() && it->second.pool.status == PoolStatus::SUSPENDED;
}

bool PoolGate::is_elsewhere(const std::string& pool) const {
  const auto it = pools_.find(pool);
  return it != pools_.end() && it->second.pool.limited && !it->second.home;
}

std::optional<std::string> PoolGate::describe(const std::string& pool, Steady now) {
  const auto it = pools_.find(pool);
  if (it == pools_.end() || !it->second.known)
    return fmt::format("the pool '{}' is not known to this instance yet", pool);
  State& state = it->second;
  if (state.pool.status == PoolStatus::SUSPENDED) return fmt::format("the pool '{}' is suspended", pool);
  if (state.pool.limited && !state.home)
    return fmt::format("another instance starts the deliveries of the pool '{}'", pool);
  if (state.open >= state.pool.concurrency) {
    if (state.pool.concurrency == 1)
      return fmt::format("the one delivery of the pool '{}' is under way", pool);
    return fmt::format("all {} deliveries of the pool '{}' are under way", state.pool.concurrency, pool);
  }
  if (state.room(now) > 0) return std::nullopt;
  const auto wait = std::chrono::duration<double>(state.token_at(now) - now).count();
  return fmt::format("the pool '{}' has used its rate of {} a minute; the next start is in {:.1f} s", pool,
                     *state.pool.rate_limit_per_minute, std::max(wait, 0.1));
}

std::optional<PoolGate::Steady> PoolGate::next_token(Steady now) const {
  std::optional<Steady> earliest;
  for (const auto& [code, state] : pools_) {
    if (!state.pool.rate_limit_per_minute || !state.flows()) continue;
    if (state.open >= state.pool.concurrency) continue;
    const Steady at = state.token_at(now);
    if (at <= now) continue;  // it has one: something else is missing, and waiting for rate would be a spin
    if (!earliest || at < *earliest) earliest = at;
  }
  return earliest;
}

}  // namespace eilbote
