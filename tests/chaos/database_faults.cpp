// PostgreSQL that is restarted, crashes, loses a session, or whose place another server takes.
#include <stdexcept>

#include "chaos/faults.h"

namespace eilbote::chaos {
namespace {

void fail_over(World& world) {
  world.database().fail_over();
  for (const auto& instance : world.instances())
    if (instance->database() != nullptr) instance->database()->lead_to(world.database().port());
}

bool end_backend(World& world, const PlannedFault& fault) {
  try {
    return world.database().end_backend(fault.draw);
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

bool strike_database(World& world, const PlannedFault& fault) {
  const std::int64_t at = test::history_now();
  switch (fault.kind) {
    case FaultKind::postgres_fast:
      world.database().restart(true);
      world.note(fault.kind, at, "PostgreSQL was stopped fast and started");
      return true;
    case FaultKind::postgres_immediate:
      world.database().restart(false);
      world.note(fault.kind, at, "PostgreSQL was stopped at once and recovered");
      return true;
    case FaultKind::failover:
      if (!world.database().has_standby()) return false;
      fail_over(world);
      world.note(fault.kind, at, "the standby took the place of PostgreSQL");
      // Commits wait for the new one from here on, which is no fault.
      world.database().make_standby();
      return true;
    case FaultKind::backends:
      if (!end_backend(world, fault)) return false;
      world.note(fault.kind, at, "a session of PostgreSQL was ended");
      return true;
    default:
      return false;
  }
}

}  // namespace eilbote::chaos
