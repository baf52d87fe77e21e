// One history from its plan to the end.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "simulation/plan.h"
#include "simulation/rules.h"

namespace eilbote {
struct Metrics;
}

namespace eilbote::sim {

// Is told each step in words, as it happens; empty: nobody reads it.
using Story = std::function<void(const std::string&)>;

struct Outcome {
  std::optional<Violation> violation;  // the first; nothing: all rules hold
  int jobs = 0;
};

// The same plan gives the same outcome and the same story, always.
Outcome run_plan(const Plan& plan, Metrics& metrics, const Story& story = {});

}  // namespace eilbote::sim
