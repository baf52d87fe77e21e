#include "simulation/plan.h"

#include <array>
#include <span>

namespace eilbote::sim {
namespace {

struct Weight {
  StepKind kind;
  std::uint32_t weight;
};

// What happens in a world where only deliveries go wrong, and how often.
constexpr std::array kOrdinary{
    Weight{StepKind::submit, 16},  Weight{StepKind::resend, 2},     Weight{StepKind::work, 26},
    Weight{StepKind::intake, 2},   Weight{StepKind::ledger, 5},     Weight{StepKind::departures, 3},
    Weight{StepKind::upkeep, 2},   Weight{StepKind::hand_over, 10}, Weight{StepKind::answer, 18},
    Weight{StepKind::advance, 10}, Weight{StepKind::act, 6},        Weight{StepKind::order, 2},
};
constexpr std::array kFaults{
    Weight{StepKind::fault, 8},  Weight{StepKind::kill, 4},   Weight{StepKind::restart, 4},
    Weight{StepKind::end, 2},    Weight{StepKind::freeze, 3}, Weight{StepKind::thaw, 4},
    Weight{StepKind::starve, 2}, Weight{StepKind::jump, 1},   Weight{StepKind::set_wall, 1},
    Weight{StepKind::deafen, 1}, Weight{StepKind::route, 1},
};
constexpr std::uint32_t kStepsMin = 8, kStepsMore = 56;
constexpr std::uint32_t kFaultsOfHundred = 22;

StepKind draw_kind(SeededRandom& random, std::span<const Weight> weights) {
  std::uint32_t sum = 0;
  for (const Weight& one : weights)
    sum += one.weight;
  std::uint32_t left = random.below(sum);
  for (const Weight& one : weights) {
    if (left < one.weight) return one.kind;
    left -= one.weight;
  }
  return weights.front().kind;
}

}  // namespace

std::uint64_t SeededRandom::bits() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

Plan draw_plan(std::uint64_t seed) {
  SeededRandom random(seed);
  Plan plan;
  plan.seed = seed;
  plan.setup.instances = 1 + static_cast<int>(random.below(3));
  plan.setup.faults = random.below(5) > 0;
  plan.setup.settles_orphans = random.below(3) == 0;
  plan.setup.triggered = random.below(8) == 0;
  const std::uint32_t steps = kStepsMin + random.below(kStepsMore);
  plan.steps.reserve(steps);
  for (std::uint32_t i = 0; i < steps; ++i) {
    const bool fault = plan.setup.faults && random.below(100) < kFaultsOfHundred;
    Step step;
    step.kind =
        draw_kind(random, fault ? std::span<const Weight>(kFaults) : std::span<const Weight>(kOrdinary));
    step.a = random.below(1 << 16);
    step.b = random.below(1 << 16);
    step.c = random.below(1 << 16);
    plan.steps.push_back(step);
  }
  return plan;
}

}  // namespace eilbote::sim
