// The overview desk: makes the picture of a moment out of what the database, the ledger and this instance's own counts say. Used
// by one thread, the overview's (api/overview_hub.h); may block.
//
// What it asks of the database costs at most a fiftieth of the time: after an answer that was slow, the next ones are made with
// what is known. Attempts and what is under way are this instance's own; the rest is of all instances, the breakers of others as they told
// them last.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "engine/breaker_desk.h"
#include "engine/flow_book.h"
#include "engine/pool_list.h"
#include "ports/overview_book.h"
#include "ports/transport.h"

namespace eilbote {

struct Metrics;

// All of it outlives the desk.
struct OverviewParts {
  OverviewBook& book;
  FlowBook& flow;
  const BreakerDesk& breakers;
  const PoolList& pools;
  const Metrics& metrics;
  const Clock& clock;
  std::function<TransportState()> broker;  // empty: there is none
  std::string instance, version, store;    // as they are shown
};

class OverviewDesk {
 public:
  explicit OverviewDesk(OverviewParts parts) : parts_(std::move(parts)) {}

  // Once a second, whether somebody watches or not: only looks at counts in memory.
  void sample();
  // `whole`: with the seconds and minutes of the past.
  Result<Overview> look(bool whole);

 private:
  Result<void> read_standing();
  Result<std::vector<RouteLoad>> read_routes() const;
  void add_history(Overview& seen, std::vector<FlowMinute> minutes) const;
  std::vector<PoolLoad> pools() const;
  MachineState machine() const;

  const OverviewParts parts_;
  LatencyWindow attempts_;
  StandingLoad standing_;
  std::vector<RouteLoad> routes_;
  Clock::Steady good_until_{};
};

}  // namespace eilbote
