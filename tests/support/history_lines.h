// The rules of history_checker.h that are about more than one job: groups and pools.
#pragma once

#include "support/history_checker.h"
#include "support/sorted_history.h"

namespace eilbote::test {

void check_lines(const SortedHistory& history, const HistoryRules& rules, HistoryVerdict& verdict);

// Whether what an instance sent may arrive at this moment though it was sent long before.
bool bytes_may_be_late(const SortedHistory& history, const HistoryRules& rules, std::int64_t at,
                       const std::string& by);

}  // namespace eilbote::test
