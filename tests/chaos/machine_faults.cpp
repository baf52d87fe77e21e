// What the system refuses a process: names, memory, syncs, the second half of a write.
#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>

#include "chaos/faults.h"
#include "chaos/libc_faults.h"
#include "support/eventually.h"

namespace eilbote::chaos {
namespace {

constexpr rlim_t kMoreMemory = 4UL << 20;  // so much more than it has
constexpr auto kTornPatience = std::chrono::seconds{3};

rlim_t memory_of(pid_t process) {
  unsigned long pages = 0;
  std::ifstream(fmt::format("/proc/{}/statm", process)) >> pages;
  return pages * 4096;
}

bool fail_names(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  const std::int64_t at = test::history_now();
  victim.fail_names(true);
  wait_for(fault.lasts);
  victim.fail_names(false);
  world.note(fault.kind, at, victim.name() + " could look up no name", victim.by());
  return true;
}

// It may end by that, and is brought back; its next life has no limit.
bool limit_memory(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  pid_t process = 0;
  std::int64_t at = 0;
  const bool struck = victim.strike([&](test::EilboteProcess& one) {
    at = test::history_now();
    process = one.process().pid();
    const rlim_t most = memory_of(process) + kMoreMemory;
    const rlimit limit{most, RLIM_INFINITY};
    ::prlimit(process, RLIMIT_AS, &limit, nullptr);
  });
  if (!struck) return false;
  wait_for(fault.lasts);
  victim.strike([&](test::EilboteProcess& one) {
    const rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    if (one.process().pid() == process) ::prlimit(process, RLIMIT_AS, &limit, nullptr);
  });
  world.note(fault.kind, at, victim.name() + " got no more memory", victim.by());
  return true;
}

bool fail_syncs(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  if (victim.libc() == nullptr) return false;
  const std::int64_t at = test::history_now();
  const auto before = victim.libc()->struck.load();
  victim.libc()->sync_fails = 1;
  wait_for(fault.lasts);
  victim.libc()->sync_fails = 0;
  const auto times = victim.libc()->struck.load() - before;
  if (times == 0) return false;
  world.note(fault.kind, at, fmt::format("{} syncs of {} failed", times, victim.name()), victim.by());
  return true;
}

bool tear_write(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  if (victim.libc() == nullptr) return false;
  const std::int64_t at = test::history_now();
  victim.libc()->torn_write = 1;
  // It takes the next write; an idle process has none.
  test::eventually([&] { return victim.libc()->torn_write == 0; }, kTornPatience);
  if (victim.libc()->torn_write.exchange(0) != 0) return false;
  world.note(fault.kind, at, "a write of " + victim.name() + " was torn, and it was killed", victim.by());
  return true;
}

// Of one instance alone: the clock that decides is the database's.
bool jump(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  if (victim.libc() == nullptr) return false;
  const int hours = (fault.draw >> 32U) % 2 == 0 ? kJumpHours : -kJumpHours;
  const std::int64_t at = test::history_now();
  victim.libc()->clock_hours = hours;
  wait_for(fault.lasts);
  victim.libc()->clock_hours = 0;
  world.note(fault.kind, at, fmt::format("the clock of {} jumped by {} hours", victim.name(), hours),
             victim.by());
  return true;
}

}  // namespace

bool strike_machine(World& world, const PlannedFault& fault) {
  switch (fault.kind) {
    case FaultKind::names_fail:
      return fail_names(world, fault);
    case FaultKind::memory_limit:
      return limit_memory(world, fault);
    case FaultKind::sync_fails:
      return fail_syncs(world, fault);
    case FaultKind::torn_write:
      return tear_write(world, fault);
    case FaultKind::clock_jump:
      return jump(world, fault);
    default:
      return false;
  }
}

}  // namespace eilbote::chaos
