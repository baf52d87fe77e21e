// Processes that are killed, and processes that stand still for longer than their lease.
#include <fmt/format.h>
#include <signal.h>

#include <fstream>

#include "chaos/faults.h"

namespace eilbote::chaos {
namespace {

using test::HistoryKind;

// The name under which its leases are in the database.
std::string lease_name(const Instance& instance) {
  std::string name;
  std::ifstream file(instance.data_folder() + "/instance-name");
  std::getline(file, name);
  return name;
}

// What a dead process still has the lease of: all of it has to be running elsewhere soon.
void note_leased(World& world, const Instance& victim, std::int64_t at) {
  try {
    const auto sql = world.database().open();
    const std::string epochs =
        fmt::format("(SELECT max(epoch) FROM instances WHERE name = '{}')", lease_name(victim));
    const bool on_postgres = world.database().dialect() == test::HistoryStore::postgres;
    const auto rows = sql->rows(
        fmt::format("SELECT {}, channel FROM outbox WHERE status = 'dispatching' AND lease_token BETWEEN "
                    "CAST({} AS bigint) * 4294967296 AND CAST({} AS bigint) * 4294967296 + 4294967295",
                    on_postgres ? "eilbote_tsid(id)" : "id", epochs, epochs));
    for (const test::SqlRow& row : rows)
      world.history().add({.kind = HistoryKind::leased,
                           .at = at,
                           .name = victim.name(),
                           .id = test::job_id_in(row[0], world.database().dialect()),
                           .mode = row[1]});
  } catch (const std::runtime_error&) {
    // The database is away just now: this one tells nothing about recovery.
  }
}

bool kill_one(World& world, const PlannedFault& fault) {
  // When the one that was drawn is away already, the next.
  for (std::size_t next = 0; next < world.instances().size(); ++next) {
    Instance& victim = world.pick(fault.draw + next);
    const std::int64_t at = test::history_now();
    if (!victim.kill(fault.lasts)) continue;
    world.note(FaultKind::kill, at, "killed " + victim.name(), victim.by());
    note_leased(world, victim, at);
    return true;
  }
  return false;
}

bool freeze_one(World& world, const PlannedFault& fault) {
  Instance& victim = world.pick(fault.draw);
  std::int64_t at = 0;
  const bool struck = victim.strike([&](test::EilboteProcess& process) {
    at = test::history_now();
    process.process().signal(SIGSTOP);
    wait_for(fault.lasts);
    process.process().signal(SIGCONT);
  });
  if (struck)
    world.note(FaultKind::freeze, at,
               fmt::format("{} stood still for {}", victim.name(), fault.lasts.count()), victim.by());
  return struck;
}

}  // namespace

bool strike_process(World& world, const PlannedFault& fault) {
  return fault.kind == FaultKind::kill ? kill_one(world, fault) : freeze_one(world, fault);
}

}  // namespace eilbote::chaos
