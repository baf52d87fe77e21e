// Makes a plan that fails as small as it can be and still fail: delta debugging over its steps, then over their numbers. Knows
// nothing of what a plan means.
#pragma once

#include <functional>

#include "simulation/plan.h"

namespace eilbote::sim {

// `fails` must be true of `plan`, and answer the same for the same plan. Asked at most `tries_max` times. What comes back fails, and
// with tries enough no single step can be taken from it.
Plan shrink(Plan plan, const std::function<bool(const Plan&)>& fails, int tries_max = 4000);

}  // namespace eilbote::sim
