// What a role does; the one place that says it. Used by the composition root.
#pragma once

#include "config/config.h"

namespace eilbote {

// Takes new jobs from clients.
inline bool takes_jobs(Role role) {
  return role == Role::all || role == Role::api;
}
// Has ways out, claims jobs and sends them.
inline bool delivers(Role role) {
  return role == Role::all || role == Role::worker;
}
// Looks for due jobs and puts them into the broker, where there is one.
inline bool schedules(Role role) {
  return role == Role::all || role == Role::scheduler;
}
// Puts jobs into the broker: all due ones, or the new ones that it took itself.
inline bool publishes(Role role) {
  return schedules(role) || takes_jobs(role);
}

}  // namespace eilbote
