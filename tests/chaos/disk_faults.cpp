// A disk that is full for a while.
#include "chaos/faults.h"

namespace eilbote::chaos {

bool strike_disk(World& world, const PlannedFault& fault) {
  const std::int64_t at = test::history_now();
  world.disk()->fill(true);
  wait_for(fault.lasts);
  world.disk()->fill(false);
  // PostgreSQL gives up when it cannot write its log; a person starts it again.
  world.database().revive();
  world.note(fault.kind, at, "the disk of the database was full");
  return true;
}

}  // namespace eilbote::chaos
