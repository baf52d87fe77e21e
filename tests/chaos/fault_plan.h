// Which fault strikes when, drawn from a seed. Pure: the same seed, time and kinds make the same plan. Time is cut into rounds of
// a storm and a calm; in each storm processes are killed again and again, and of every other kind that can be had here one
// strikes in turn. What concerns the same part of the world is never planned twice at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/enum_names.h"

namespace eilbote::chaos {

enum class FaultKind {
  kill,
  freeze,
  postgres_fast,
  postgres_immediate,
  backends,
  failover,
  rabbit_kill,
  database_stall,
  database_reset,
  database_drip,
  endpoint_stall,
  endpoint_reset,
  endpoint_drip,
  names_fail,
  disk_full,
  sync_fails,
  torn_write,
  memory_limit,
  clock_jump,
};
// The words are what the history and the report say; those that delay bytes are fault_kind's of support/history.h.
inline constexpr auto kFaultKindNames =
    enum_names<FaultKind>({{FaultKind::kill, "kill -9"},
                           {FaultKind::freeze, "freeze"},
                           {FaultKind::postgres_fast, "PostgreSQL restarted"},
                           {FaultKind::postgres_immediate, "PostgreSQL crashed"},
                           {FaultKind::backends, "backend ended"},
                           {FaultKind::failover, "failover"},
                           {FaultKind::rabbit_kill, "RabbitMQ killed"},
                           {FaultKind::database_stall, "database stall"},
                           {FaultKind::database_reset, "database reset"},
                           {FaultKind::database_drip, "database drip"},
                           {FaultKind::endpoint_stall, "endpoint stall"},
                           {FaultKind::endpoint_reset, "endpoint reset"},
                           {FaultKind::endpoint_drip, "endpoint drip"},
                           {FaultKind::names_fail, "names fail"},
                           {FaultKind::disk_full, "disk full"},
                           {FaultKind::sync_fails, "sync fails"},
                           {FaultKind::torn_write, "torn write"},
                           {FaultKind::memory_limit, "memory limit"},
                           {FaultKind::clock_jump, "clock jump"}});
static_assert(kFaultKindNames.complete());

// Faults of one part are struck one after the other; parts do not wait for each other.
enum class WorldPart { processes, freezer, database, lines, broker, machine };
WorldPart part_of(FaultKind kind);

struct PlannedFault {
  FaultKind kind = FaultKind::kill;
  std::chrono::milliseconds at{};     // from the start
  std::chrono::milliseconds lasts{};  // how long it is on; 0: a moment
  std::uint64_t draw = 0;             // for what the strike still has to choose: its victim
};

struct PlanOrder {
  std::uint64_t seed = 0;
  std::chrono::seconds time{};
  std::chrono::milliseconds lease{};  // freezes last longer than this
  std::vector<FaultKind> kinds;       // that can be had here
};

// In the order of time. Nothing begins in the last tenth.
std::vector<PlannedFault> plan_faults(const PlanOrder& order);

}  // namespace eilbote::chaos
