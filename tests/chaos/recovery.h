// How long what a killed process held the lease of took to be running elsewhere, from a history. Pure.
#pragma once

#include <vector>

#include "support/history.h"

namespace eilbote::chaos {

struct RecoveryTimes {
  int jobs = 0;
  double p50 = 0, p99 = 0, most = 0;  // seconds
};

struct Recovery {
  RecoveryTimes jobs;       // from the kill to the next start, seen or on record
  RecoveryTimes first;      // of each kill the first such job
  RecoveryTimes uncertain;  // mails that may have been handed over wait on purpose (EILBOTE_UNCERTAIN_DELAY)
  int not_again = 0;        // what was over with the kill: handed over and known, cancelled, held
};

Recovery recovery_of(const std::vector<test::HistoryEvent>& events);

}  // namespace eilbote::chaos
