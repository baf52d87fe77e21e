#include "engine/overview_desk.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "metrics/metrics.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr int kShareOfTime = 50;            // the database works for us one part of so many, at most,
constexpr Duration kStandingMax = 10s;      // and what it said is never older than this
constexpr std::size_t kDownRoutesMax = 20;  // for which it is counted what waits
constexpr std::size_t kRoutesMax = 200;     // that are shown

std::optional<double> gauge(const Metrics& metrics, Metric metric) {
  const auto values = metrics.values(metric);
  if (values.empty()) return std::nullopt;
  return values.front().second;
}

// Infinity: never.
std::optional<TimePoint> moment(double unix_seconds) {
  if (!std::isfinite(unix_seconds)) return std::nullopt;
  return TimePoint{std::chrono::seconds{static_cast<std::int64_t>(unix_seconds)}};
}

std::string detail_of(const TransportState& broker) {
  return broker.connected ? broker.receive_detail : broker.detail;
}

}  // namespace

void OverviewDesk::sample() {
  parts_.flow.sample();
  const Metrics::Buckets buckets = parts_.metrics.buckets(Metric::attempt_seconds);
  attempts_.note(parts_.clock.steady_now(), {buckets.bounds, buckets.up_to});
}

Result<void> OverviewDesk::read_standing() {
  const Clock::Steady asked = parts_.clock.steady_now();
  if (asked < good_until_) return {};
  auto standing = parts_.book.standing();
  if (!standing) return fail(standing.error());
  auto routes = read_routes();
  if (!routes) return fail(routes.error());
  standing_ = std::move(*standing);
  routes_ = std::move(*routes);
  const auto took = std::chrono::duration_cast<Duration>(parts_.clock.steady_now() - asked);
  good_until_ = asked + std::min(took * kShareOfTime, kStandingMax);
  return {};
}

Result<std::vector<RouteLoad>> OverviewDesk::read_routes() const {
  std::vector<RouteLoad> routes = parts_.breakers.own();
  const auto others = parts_.breakers.others();
  if (!others) return fail(others.error());
  routes.insert(routes.end(), others->begin(), others->end());
  // A relay before endpoint hosts, what is down before what is not: two hundred shut hosts of this instance hide nobody's dead relay.
  std::ranges::stable_sort(routes, {}, [](const RouteLoad& route) {
    return std::pair(route.channel != ChannelKind::mail, !route.is_down);
  });
  if (routes.size() > kRoutesMax) routes.resize(kRoutesMax);
  // A way out that is down for several instances is counted once.
  std::map<std::pair<ChannelKind, std::string>, std::int64_t> counted;
  for (RouteLoad& route : routes) {
    if (!route.is_down) continue;
    const std::pair name{route.channel, route.channel == ChannelKind::mail ? "" : route.route};
    if (!counted.contains(name)) {
      if (counted.size() == kDownRoutesMax) continue;
      const auto waiting = parts_.book.waiting_for(name.first, name.second);
      if (!waiting) return fail(waiting.error());
      counted.emplace(name, *waiting);
    }
    route.waiting = counted.at(name);
  }
  return routes;
}

std::vector<PoolLoad> OverviewDesk::pools() const {
  std::vector<PoolLoad> pools = standing_.pools;
  const auto under_way = parts_.metrics.values(Metric::in_flight);
  for (PoolLoad& row : pools) {
    if (const auto pool = parts_.pools.find(row.pool)) {
      row.status = pool->status;
      row.concurrency = pool->concurrency;
      row.rate_limit_per_minute = pool->rate_limit_per_minute;
    }
    for (const auto& [labels, value] : under_way)
      if (labels.front() == row.pool) row.in_flight = static_cast<int>(value);
  }
  return pools;
}

MachineState OverviewDesk::machine() const {
  const Metrics& metrics = parts_.metrics;
  MachineState machine;
  machine.clock_skew = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(gauge(metrics, Metric::clock_skew).value_or(0)));
  const auto free = gauge(metrics, Metric::data_disk_free), size = gauge(metrics, Metric::data_disk_size);
  if (free && size && *size > 0) machine.disk_free = *free / *size;
  if (const auto ends = gauge(metrics, Metric::tls_certificate_expires))
    machine.certificate_ends = moment(*ends);
  for (const auto& [labels, ends] : metrics.values(Metric::credential_expires))
    if (const auto at = moment(ends)) machine.credentials_end.emplace_back(labels.front(), *at);
  return machine;
}

// With what this instance has not written yet, in the minute that is now.
void OverviewDesk::add_history(Overview& seen, std::vector<FlowMinute> minutes) const {
  seen.seconds = parts_.flow.seconds();
  seen.minutes = std::move(minutes);
  const FlowCounts unwritten = parts_.flow.unwritten();
  if (unwritten.is_zero()) return;
  const TimePoint minute = std::chrono::floor<std::chrono::minutes>(parts_.clock.now());
  if (seen.minutes.empty() || seen.minutes.back().at < minute) seen.minutes.push_back({minute, {}});
  seen.minutes.back().counts += unwritten;
}

Result<Overview> OverviewDesk::look(bool whole) {
  if (auto read = read_standing(); !read) return fail(read.error());
  Overview seen;
  if (whole) {
    auto minutes = parts_.book.flow(kFlowShown);
    if (!minutes) return fail(minutes.error());
    add_history(seen, std::move(*minutes));
  }
  seen.at = parts_.clock.now();
  seen.instance = parts_.instance;
  seen.version = parts_.version;
  seen.store = parts_.store;
  seen.instances = standing_.instances;
  seen.delivering = standing_.delivering;
  if (parts_.broker) {
    const TransportState broker = parts_.broker();
    seen.broker = BrokerLoad{broker.connected, broker.receiving, detail_of(broker)};
  }
  seen.totals = standing_.totals + parts_.flow.unwritten();
  seen.rates = parts_.flow.rates();
  seen.attempts = attempts_.view();
  seen.pools = pools();
  seen.routes = routes_;
  seen.dead = standing_.dead;
  seen.blocked_groups = standing_.blocked_groups;
  seen.machine = machine();
  return seen;
}

}  // namespace eilbote
