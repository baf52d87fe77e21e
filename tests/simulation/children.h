// Histories in processes of their own: as many at once as there are cores, and so that an engine that stops the program (a broken
// assertion, a crash, an endless loop) is a history that fails, with its seed known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulation/plan.h"

namespace eilbote::sim {

struct Range {
  std::uint64_t from = 0, count = 0;
};

struct Searched {
  std::uint64_t histories = 0, jobs = 0;
  std::optional<std::uint64_t> failed;  // a seed; the smallest that was seen
};

// Runs the histories of these seeds, until one fails. `processes` at once.
Searched search(const Range& range, int processes);

// Runs one in a process of its own. What is wrong with it: a rule's text, or how the process ended; empty: nothing.
std::string fault_of(const Plan& plan);

// The same, printing every step; to standard output.
void print_history(const Plan& plan);

}  // namespace eilbote::sim
