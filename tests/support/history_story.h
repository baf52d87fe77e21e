// Tells what happened to the jobs of a violation: one readable page with the rule, each job's events in the order of time, and the
// faults beside them. For people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/history_checker.h"

namespace eilbote::test {

std::string tell_violation(const std::vector<HistoryEvent>& events, std::string_view rule,
                           const HistoryViolation& violation);

// Of each rule the first cases, at most so many in all.
std::string tell_violations(const std::vector<HistoryEvent>& events, const HistoryVerdict& verdict,
                            int at_most = 8);

}  // namespace eilbote::test
