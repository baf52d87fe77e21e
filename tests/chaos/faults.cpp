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

void set_right(std::vector<test::HistoryEvent>& events) {
  constexpr std::int64_t kJump = std::int64_t{kJumpHours} * 3600 * 1'000'000, kFar = kJump / 2;
  std::int64_t first = 0;
  for (const test::HistoryEvent& event : events)
    if (event.kind == test::HistoryKind::asked && (first == 0 || event.at < first)) first = event.at;
  const auto right = [&](std::int64_t& at) {
    if (at > first + kFar)
      at -= kJump;
    else if (at != 0 && at < first - kFar)
      at += kJump;
  };
  for (test::HistoryEvent& event : events)
    if (event.kind == test::HistoryKind::attempt || event.kind == test::HistoryKind::stored) {
      right(event.at);
      right(event.until);
      right(event.finished_at);
    }
}

void wait_for(std::chrono::milliseconds time) {
  test::eventually([] { return false; }, time, std::min(time, std::chrono::milliseconds{50}));
}

}  // namespace eilbote::chaos
