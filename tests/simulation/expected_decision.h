// What an attempt's outcome must make of its job, written down a second time and in another way than the engine does: a table
// that a settlement is held against.
#pragma once

#include <optional>
#include <string>

#include "simulation/rules.h"

namespace eilbote::sim {

// What is wrong with a settlement of a job that was `before`; nothing: it is as it must be. `told`: what the channel answered, null
// when it was never asked.
std::optional<std::string> wrong_decision(const Row& before, const Settlement& settlement,
                                          const Answer* told);

}  // namespace eilbote::sim
