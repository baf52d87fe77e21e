#include "chaos/fault_plan.h"

#include <algorithm>
#include <map>
#include <random>

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds kRound = 40s, kStorm = 28s, kFirstAt = 3s;

// How long a fault of this kind is on, at least and at most; what takes the time it takes is a moment here.
struct Lasting {
  milliseconds least, most;
};
Lasting lasting_of(FaultKind kind, milliseconds lease) {
  switch (kind) {
    case FaultKind::freeze:
      return {lease + 1s, lease + 4s};
    case FaultKind::kill:  // how long it stays down
      return {0ms, lease + 3s};
    case FaultKind::database_stall:
    case FaultKind::endpoint_stall:
      return {500ms, 8s};
    case FaultKind::database_reset:
    case FaultKind::endpoint_reset:
      return {0ms, 3s};
    case FaultKind::database_drip:
    case FaultKind::endpoint_drip:
      return {2s, 6s};
    case FaultKind::names_fail:
      return {2s, 6s};
    case FaultKind::disk_full:
      return {2s, 6s};
    case FaultKind::sync_fails:
      return {500ms, 3s};
    case FaultKind::memory_limit:
    case FaultKind::clock_jump:
      return {2s, 5s};
    case FaultKind::rabbit_kill:
      return {0ms, 4s};
    default:
      return {0ms, 0ms};
  }
}

// How long its part of the world is busy with it, beyond the time it lasts.
milliseconds aftermath_of(FaultKind kind) {
  switch (part_of(kind)) {
    case WorldPart::database:
      return kind == FaultKind::backends ? 500ms : 6s;
    case WorldPart::broker:
      return 15s;
    case WorldPart::machine:
      return 3s;
    default:
      return 500ms;
  }
}

class Planner {
 public:
  explicit Planner(const PlanOrder& order) : order_(order), random_(order.seed) {}

  std::vector<PlannedFault> plan() {
    const milliseconds end = order_.time - order_.time / 10;
    for (milliseconds round = 0ms; round < end; round += kRound) {
      const milliseconds from = round + (round == 0ms ? kFirstAt : 0ms);
      const milliseconds until = std::min<milliseconds>(round + kStorm, end);
      add_kills(from, until);
      add_others(from, until);
    }
    std::stable_sort(plan_.begin(), plan_.end(),
                     [](const PlannedFault& a, const PlannedFault& b) { return a.at < b.at; });
    return std::move(plan_);
  }

 private:
  bool can(FaultKind kind) const {
    return std::find(order_.kinds.begin(), order_.kinds.end(), kind) != order_.kinds.end();
  }
  milliseconds between(milliseconds least, milliseconds most) {
    if (most <= least) return least;
    return least + milliseconds{static_cast<std::int64_t>(
                       random_() % static_cast<std::uint64_t>((most - least).count() + 1))};
  }

  void add(FaultKind kind, milliseconds at) {
    const Lasting lasting = lasting_of(kind, order_.lease);
    milliseconds lasts = between(lasting.least, lasting.most);
    // Most that are killed are back at once; the others stay away until their leases are over.
    if (kind == FaultKind::kill) lasts = random_() % 3 != 0 ? 0ms : lasting.most;
    plan_.push_back({kind, at, lasts, random_()});
  }

  void add_kills(milliseconds from, milliseconds until) {
    if (!can(FaultKind::kill)) return;
    for (milliseconds at = from + between(0ms, 2s); at < until; at += between(1500ms, 5s))
      add(FaultKind::kill, at);
  }

  // From a bag with one of each: every kind strikes before any does again.
  void add_others(milliseconds from, milliseconds until) {
    for (milliseconds at = from + between(0ms, 1s); at < until; at += between(500ms, 2500ms)) {
      if (bag_.empty()) fill_bag();
      const auto free = std::find_if(bag_.begin(), bag_.end(),
                                     [&](FaultKind kind) { return busy_until_[part_of(kind)] <= at; });
      if (free == bag_.end()) continue;
      const FaultKind kind = *free;
      bag_.erase(free);
      add(kind, at);
      busy_until_[part_of(kind)] = at + plan_.back().lasts + aftermath_of(kind);
    }
  }

  void fill_bag() {
    for (const FaultKind kind : order_.kinds)
      if (kind != FaultKind::kill) bag_.push_back(kind);
    for (std::size_t i = bag_.size(); i > 1; --i)
      std::swap(bag_[i - 1], bag_[random_() % i]);
  }

  const PlanOrder& order_;
  std::mt19937_64 random_;
  std::vector<FaultKind> bag_;
  std::map<WorldPart, milliseconds> busy_until_;
  std::vector<PlannedFault> plan_;
};

}  // namespace

WorldPart part_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kill:
      return WorldPart::processes;
    case FaultKind::freeze:
      return WorldPart::freezer;
    case FaultKind::postgres_fast:
    case FaultKind::postgres_immediate:
    case FaultKind::backends:
    case FaultKind::failover:
    case FaultKind::disk_full:
      return WorldPart::database;
    case FaultKind::database_stall:
    case FaultKind::database_reset:
    case FaultKind::database_drip:
    case FaultKind::endpoint_stall:
    case FaultKind::endpoint_reset:
    case FaultKind::endpoint_drip:
      return WorldPart::lines;
    case FaultKind::rabbit_kill:
      return WorldPart::broker;
    case FaultKind::names_fail:
    case FaultKind::sync_fails:
    case FaultKind::torn_write:
    case FaultKind::memory_limit:
    case FaultKind::clock_jump:
      return WorldPart::machine;
  }
  return WorldPart::processes;
}

std::vector<PlannedFault> plan_faults(const PlanOrder& order) {
  return Planner(order).plan();
}

}  // namespace eilbote::chaos
