#include "simulation/history_run.h"

#include "simulation/world.h"

namespace eilbote::sim {

Outcome run_plan(const Plan& plan, Metrics& metrics, const Story& story) {
  World world(plan, metrics, story);
  Outcome outcome;
  outcome.violation = world.run();
  outcome.jobs = world.jobs();
  return outcome;
}

}  // namespace eilbote::sim
