// What each kind of fault does to the world. A strike returns when it is over; it writes into the history what it did and when.
#pragma once

#include "chaos/fault_plan.h"
#include "chaos/world.h"

namespace eilbote::chaos {

// Whether it could strike: its victim may just be away, or the database that it concerns.
bool strike(World& world, const PlannedFault& fault);

// The families, a file each.
bool strike_process(World& world, const PlannedFault& fault);
bool strike_database(World& world, const PlannedFault& fault);
bool strike_lines(World& world, const PlannedFault& fault);
bool strike_broker(World& world, const PlannedFault& fault);
bool strike_disk(World& world, const PlannedFault& fault);
bool strike_machine(World& world, const PlannedFault& fault);

// How far a clock jumps, forth or back: farther than any run lasts, so that what it wrote meanwhile is known by its time.
inline constexpr int kJumpHours = 30;
// Moves what a clock wrote while it was wrong to the time it was.
void set_right(std::vector<test::HistoryEvent>& events);

// As long as a fault is on.
void wait_for(std::chrono::milliseconds time);

}  // namespace eilbote::chaos
