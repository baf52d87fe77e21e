#include "domain/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace eilbote {
namespace {

using namespace std::chrono_literals;
using Code = AttentionCode;

constexpr Duration kLate = 5min, kVeryLate = 30min;
constexpr Duration kSkewed = 2s;
constexpr double kDiskLow = 0.10, kDiskFull = 0.03;
constexpr Duration kEndsSoon = std::chrono::hours{24 * 14}, kEndsNow = std::chrono::hours{24 * 2};

// Those that are down, each once: what is down for several instances is one trouble, of the one that has had it the longest.
std::vector<const RouteLoad*> troubles(const std::vector<RouteLoad>& routes) {
  std::vector<const RouteLoad*> list;
  for (const RouteLoad& route : routes) {
    if (!route.is_down) continue;
    const auto known = std::ranges::find_if(list, [&](const RouteLoad* one) {
      return one->channel == route.channel && one->route == route.route;
    });
    if (known == list.end())
      list.push_back(&route);
    else if (route.since < (*known)->since)
      *known = &route;
  }
  return list;
}

void look_at_routes(const Overview& seen, std::vector<Attention>& list) {
  for (const RouteLoad* route : troubles(seen.routes)) {
    // A relay is ours; an endpoint host is one customer's.
    const Urgency severity = route->channel == ChannelKind::mail ? Urgency::critical : Urgency::warning;
    list.push_back({Code::route_down, severity, route->route, route->since, route->waiting, route->reason,
                    route->channel});
  }
}

void look_at_pools(const Overview& seen, std::vector<Attention>& list) {
  for (const PoolLoad& pool : seen.pools) {
    if (pool.status == PoolStatus::SUSPENDED) {
      const Urgency severity = pool.waiting > 0 ? Urgency::warning : Urgency::notice;
      list.push_back({Code::pool_suspended, severity, pool.pool, std::nullopt, pool.waiting});
      continue;
    }
    if (!pool.oldest || seen.at - *pool.oldest <= kLate) continue;
    const Urgency severity = seen.at - *pool.oldest > kVeryLate ? Urgency::critical : Urgency::warning;
    list.push_back({Code::pool_late, severity, pool.pool, pool.oldest, pool.due});
  }
}

void look_at_jobs(const Overview& seen, std::vector<Attention>& list) {
  if (seen.delivering == 0) list.push_back({Code::nothing_delivers, Urgency::critical});
  if (seen.blocked_groups > 0)
    list.push_back({Code::groups_blocked, Urgency::warning, "", std::nullopt, seen.blocked_groups});
  if (seen.dead.lately > 0)
    list.push_back({Code::dead_letters, Urgency::warning, "", std::nullopt, seen.dead.lately});
}

void look_at_end(Code code, const std::string& subject, TimePoint ends, TimePoint now,
                 std::vector<Attention>& list) {
  if (ends - now >= kEndsSoon) return;
  list.push_back({code, ends - now < kEndsNow ? Urgency::critical : Urgency::warning, subject, ends});
}

void look_at_machine(const Overview& seen, std::vector<Attention>& list) {
  const MachineState& machine = seen.machine;
  if (seen.broker && !(seen.broker->connected && seen.broker->receiving))
    list.push_back({Code::broker_away, Urgency::critical, "", std::nullopt, 0, seen.broker->detail});
  if (machine.clock_skew > kSkewed || machine.clock_skew < -kSkewed)
    list.push_back({Code::clock_skew, Urgency::warning, "", std::nullopt, 0,
                    fmt::format("{:.1f}", std::chrono::duration<double>(machine.clock_skew).count())});
  if (machine.disk_free && *machine.disk_free < kDiskLow)
    list.push_back({Code::disk_low, *machine.disk_free < kDiskFull ? Urgency::critical : Urgency::warning, "",
                    std::nullopt, 0, fmt::format("{:.0f}", *machine.disk_free * 100)});
  if (machine.certificate_ends)
    look_at_end(Code::certificate_expires, "", *machine.certificate_ends, seen.at, list);
  for (const auto& [credential, ends] : machine.credentials_end)
    look_at_end(Code::credential_expires, credential, ends, seen.at, list);
}

}  // namespace

std::vector<Attention> attention(const Overview& seen) {
  std::vector<Attention> list;
  look_at_routes(seen, list);
  look_at_pools(seen, list);
  look_at_jobs(seen, list);
  look_at_machine(seen, list);
  std::stable_sort(list.begin(), list.end(), [](const Attention& a, const Attention& b) {
    return std::tuple(a.severity, a.code, -a.count) < std::tuple(b.severity, b.code, -b.count);
  });
  return list;
}

}  // namespace eilbote
