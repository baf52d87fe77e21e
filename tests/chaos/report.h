// What a chaos run says in the end, for people and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chaos/options.h"
#include "chaos/recovery.h"
#include "support/history_checker.h"

namespace eilbote::chaos {

struct ChaosReport {
  std::uint64_t seed = 0;
  int seconds = 0, rate = 0;
  std::string store, transport;
  int handed_in = 0, repeated = 0, cancels = 0;
  int own_ends = 0;                   // instances that ended by themselves
  std::map<std::string, int> faults;  // that struck, by kind
  std::vector<std::string> lacks;     // what could not be done here
  std::vector<std::string> troubles;  // of the run itself: it has failed
  std::vector<std::string>
      hitches;               // faults that could not be made as they were planned; a slow machine has some
  double drained_after = 0;  // seconds from the end of the storm until nothing waited
  test::HistoryVerdict verdict;
  Recovery recovery;
};

std::string report_page(const ChaosReport& report);
std::string report_json(const ChaosReport& report);

}  // namespace eilbote::chaos
