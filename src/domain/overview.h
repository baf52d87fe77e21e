// The overview: what waits, moves and fails, as one picture of a moment. Made by engine/overview_desk.cpp, shown by
// api/overview_json.cpp; what in it wants a person is decided by domain/attention.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/flow.h"
#include "domain/latency.h"
#include "domain/names.h"
#include "domain/pool.h"

namespace eilbote {

// What waits in a pool, and what it may do.
struct PoolLoad {
  std::string pool;
  PoolStatus status = PoolStatus::ACTIVE;
  std::int64_t waiting =
      0;                 // due or not; exact to kCountExactMax, then one more for "more", as all counts here
  std::int64_t due = 0;  // of those, whose time has come
  std::optional<TimePoint> oldest;  // since when the oldest is due
  int in_flight = 0;                // under way, in this instance
  std::optional<int> concurrency, rate_limit_per_minute;
  std::string last_error;  // of the latest attempt that failed, among jobs that wait for another; empty: none
  std::optional<TimePoint> last_error_at;
};

// A way out, as an instance knows it.
struct RouteLoad {
  std::string route;
  std::string instance{};  // as people know it
  ChannelKind channel = ChannelKind::mail;
  std::string_view state;  // of kBreakerStateNames
  bool is_down = false;
  std::string reason;
  std::optional<TimePoint> since;  // down since
  std::int64_t waiting = 0;        // for it; counted for those that are down
};

struct DeadLoad {
  std::int64_t count = 0;  // all that are on record
  std::map<DeadReason, std::int64_t> by_reason;
  std::int64_t lately = 0;  // within the last day
};

struct BrokerLoad {
  bool connected = false, receiving = false;
  std::string detail;
};

// About the machine and what it holds, not about jobs.
struct MachineState {
  Duration clock_skew{};            // ahead of the database's clock, or behind
  std::optional<double> disk_free;  // of the data folder's disk, 0 to 1
  std::optional<TimePoint> certificate_ends;
  std::vector<std::pair<std::string, TimePoint>> credentials_end;
};

struct Overview {
  TimePoint at{};
  std::string instance, version, store;
  int instances = 0, delivering = 0;  // that live, and of those: that deliver
  std::optional<BrokerLoad> broker;
  FlowCounts totals;  // of the last day, over all instances
  FlowRates rates;
  std::vector<FlowSecond> seconds;
  std::vector<FlowMinute> minutes;
  LatencyView attempts;
  std::vector<PoolLoad> pools;
  std::vector<RouteLoad> routes;
  DeadLoad dead;
  std::int64_t blocked_groups = 0;
  MachineState machine;
};

}  // namespace eilbote
