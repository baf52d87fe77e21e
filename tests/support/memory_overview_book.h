// The totals of an overview in memory, shared by those who write to it; with faults on demand.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "ports/overview_book.h"

namespace eilbote::test {

class MemoryOverviewBook final : public OverviewBook {
 public:
  explicit MemoryOverviewBook(const Clock& clock) : clock_(clock) {}

  std::optional<ErrorKind> add_fault;
  std::atomic<bool> away{false};
  std::atomic<int> adds{0}, looks{0};
  StandingLoad standing_now;

  Result<void> add_flow(const FlowCounts& counts) override {
    ++adds;
    if (add_fault) return fail(*add_fault, "on purpose");
    const std::lock_guard lock(mutex_);
    minutes_[std::chrono::floor<std::chrono::minutes>(clock_.now())] += counts;
    return {};
  }
  Result<std::vector<FlowMinute>> flow(Duration back) override {
    if (away) return fail(ErrorKind::unavailable, "away");
    const std::lock_guard lock(mutex_);
    std::vector<FlowMinute> rows;
    for (const auto& [at, counts] : minutes_)
      if (at > clock_.now() - back) rows.push_back({at, counts});
    return rows;
  }
  Result<StandingLoad> standing() override {
    ++looks;
    if (away) return fail(ErrorKind::unavailable, "away");
    const std::lock_guard lock(mutex_);
    StandingLoad load = standing_now;
    for (const auto& [at, counts] : minutes_)
      load.totals += counts;
    return load;
  }
  Result<std::int64_t> waiting_for(ChannelKind, const std::string&) override { return 42; }

  FlowCounts sum() {
    const std::lock_guard lock(mutex_);
    FlowCounts all;
    for (const auto& [at, counts] : minutes_)
      all += counts;
    return all;
  }

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::map<TimePoint, FlowCounts> minutes_;
};

}  // namespace eilbote::test
