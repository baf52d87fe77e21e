// What the overview needs of the database: the totals per minute that all instances add to, and counts of what stands there now.
// The rules of ports/outbox.h hold: blocking, safe from many threads. Called by engine/flow_book.cpp and engine/overview_desk.cpp.
//
// Nothing here grows with history: every count is exact to kCountExactMax, then one more stands for "more".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/overview.h"

namespace eilbote {

// What stands in the database, in one look. A read without a transaction: its numbers may be of slightly different moments.
struct StandingLoad {
  TimePoint now{};  // the database's
  std::vector<PoolLoad>
      pools;  // by code; what the registry says of a pool is not filled in, nor what is under way
  DeadLoad dead;
  std::int64_t blocked_groups = 0;
  int instances = 0, delivering = 0;
  FlowCounts totals;  // of the last day
};

class OverviewBook {
 public:
  virtual ~OverviewBook() = default;

  // Adds to the totals of the database's minute. After an ambiguous error it may have happened.
  virtual Result<void> add_flow(const FlowCounts& counts) = 0;
  // The minutes that began within this time, the oldest first; those without anything are not there.
  virtual Result<std::vector<FlowMinute>> flow(Duration back) = 0;
  virtual Result<StandingLoad> standing() = 0;
  // What waits for a way out: for an endpoint host, or all mails.
  virtual Result<std::int64_t> waiting_for(ChannelKind channel, const std::string& route) = 0;
};

}  // namespace eilbote
