#include "chaos/faults.h"

#include "support/eventually.h"

namespace eilbote::chaos {

bool strike(World& world, const PlannedFault& fault) {
  switch (part_of(fault.kind)) {
    case WorldPart::processes:
    case WorldPart::freezer:
      return strike_process(world, fault);
    case WorldPart::database:
      return fault.kind == FaultKind::disk_full ? strike_disk(world, fault) : strike_database(world, fault);
    case WorldPart::lines:
      return strike_lines(world, fault);
    case WorldPart::broker:
      return strike_broker(world, fault);
    case WorldPart::machine:
      return strike_machine(world, fault);
  }
  return false;
}

void wait_for(std::chrono::milliseconds time) {
  test::eventually([] { return false; }, time, std::min(time, std::chrono::milliseconds{50}));
}

}  // namespace eilbote::chaos
