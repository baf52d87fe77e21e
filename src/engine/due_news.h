// Who is told that jobs became due: this instance's ledger and its publisher, and the other instances. Everything that makes a job
// due (the intake, reports, callbacks, upkeep, the acts of people) says so here and need not know who takes it. From any thread;
// never blocks. Only news: what is lost on the way is found by the next look-around.
#pragma once

#include <atomic>
#include <span>

#include "engine/ledger.h"
#include "engine/publisher.h"
#include "ports/transport.h"

namespace eilbote {

class DueNews {
 public:
  // All outlive it. `publisher` null: nothing is published here. `takes_here`: whether due jobs may find somebody in this very
  // instance; else the others are told of everything.
  DueNews(Ledger& ledger, Publisher* publisher, Transport& transport, bool takes_here)
      : ledger_(ledger), publisher_(publisher), transport_(transport), takes_here_(takes_here) {}

  // New work, enough that others should hear of it at once.
  void everywhere(std::span<const LaneId> lanes);
  // A little: for this instance, where it takes any.
  void nearby(std::span<const LaneId> lanes);
  // Something somewhere; nobody knows the lanes.
  void somewhere();
  // Another instance said so: looks here, tells nobody.
  void look();

  // At a stop, before those it tells are stopped: from now on it tells nobody.
  void end() { ended_ = true; }

 private:
  Ledger& ledger_;
  Publisher* const publisher_;
  Transport& transport_;
  const bool takes_here_;
  std::atomic<bool> ended_{false};
};

}  // namespace eilbote
