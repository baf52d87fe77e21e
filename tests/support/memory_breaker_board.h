// What instances tell each other of their breakers, in memory, for those who need no database; with faults on demand.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "ports/breaker_board.h"

namespace eilbote::test {

class MemoryBreakerBoard final : public BreakerBoard {
 public:
  std::atomic<bool> away{false};
  std::atomic<int> tells{0}, calls{0};

  Result<void> tell(Epoch epoch, const std::string& shown_as, std::span<const RouteLoad> breakers) override {
    if (auto fault = called()) return fail(*fault);
    ++tells;
    const std::lock_guard lock(mutex_);
    auto& told = told_[epoch.value()];
    told.assign(breakers.begin(), breakers.end());
    for (RouteLoad& breaker : told)
      breaker.instance = shown_as;
    return {};
  }
  Result<std::vector<RouteLoad>> told_by_others(Epoch own) override {
    if (auto fault = called()) return fail(*fault);
    const std::lock_guard lock(mutex_);
    std::vector<RouteLoad> all;
    for (const auto& [epoch, told] : told_)
      if (epoch != own.value()) all.insert(all.end(), told.begin(), told.end());
    return all;
  }
  Result<int> ask_reset(Epoch own, const std::string& route) override {
    if (auto fault = called()) return fail(*fault);
    const std::lock_guard lock(mutex_);
    int asked = 0;
    for (const auto& [epoch, told] : told_) {
      const bool has_it =
          std::ranges::any_of(told, [&](const RouteLoad& breaker) { return breaker.route == route; });
      if (epoch == own.value() || !has_it) continue;
      auto& resets = resets_[epoch];
      if (std::ranges::find(resets, route) == resets.end()) resets.push_back(route);
      ++asked;
    }
    return asked;
  }
  Result<std::vector<std::string>> take_resets(Epoch epoch) override {
    if (auto fault = called()) return fail(*fault);
    const std::lock_guard lock(mutex_);
    return std::exchange(resets_[epoch.value()], {});
  }

 private:
  std::optional<Error> called() {
    ++calls;
    if (!away) return std::nullopt;
    return Error{ErrorKind::unavailable, "away"};
  }

  std::mutex mutex_;
  std::map<std::int32_t, std::vector<RouteLoad>> told_;
  std::map<std::int32_t, std::vector<std::string>> resets_;
};

}  // namespace eilbote::test
