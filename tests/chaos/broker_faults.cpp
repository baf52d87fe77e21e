// RabbitMQ that is killed.
#include "chaos/faults.h"
#include "support/rabbit_server.h"

namespace eilbote::chaos {

bool strike_broker(World& world, const PlannedFault& fault) {
  const std::int64_t at = test::history_now();
  world.rabbit().kill();
  wait_for(fault.lasts);
  world.rabbit().start();
  world.note(fault.kind, at, "RabbitMQ was killed and started");
  return true;
}

}  // namespace eilbote::chaos
