// Lines that hold bytes back, are cut, or let them through drop by drop: to the database, or to the endpoint and the relay.
#include <fmt/format.h>

#include "chaos/faults.h"

namespace eilbote::chaos {
namespace {

enum class Way { stall, reset, drip };

void set(test::TcpProxy& line, Way way, bool on) {
  switch (way) {
    case Way::stall:
      return line.stall(on);
    case Way::reset:  // and nobody gets a new one
      return line.refuse(on);
    case Way::drip:
      return line.drip(on);
  }
}

Way way_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::database_stall:
    case FaultKind::endpoint_stall:
      return Way::stall;
    case FaultKind::database_drip:
    case FaultKind::endpoint_drip:
      return Way::drip;
    default:
      return Way::reset;
  }
}

bool is_about_database(FaultKind kind) {
  return kind == FaultKind::database_stall || kind == FaultKind::database_reset ||
         kind == FaultKind::database_drip;
}

}  // namespace

bool strike_lines(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  const Way way = way_of(fault.kind);
  std::vector<test::TcpProxy*> lines;
  if (is_about_database(fault.kind)) {
    lines.push_back(victim.database());
  } else {
    lines = {&victim.endpoint(), &victim.relay()};
  }
  const std::int64_t at = test::history_now();
  for (test::TcpProxy* line : lines)
    set(*line, way, true);
  wait_for(fault.lasts);
  for (test::TcpProxy* line : lines)
    set(*line, way, false);
  world.note(fault.kind, at, fmt::format("{}: {}", kFaultKindNames.text(fault.kind), victim.name()),
             victim.by());
  return true;
}

}  // namespace eilbote::chaos
