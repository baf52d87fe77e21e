// Decides from a history (history.h) whether what must always hold did hold. Pure: events in, violations out. A violation names
// its rule and the job, group or delivery that breaks it.
//
// What is held against each other: clients (asked, acknowledged), receivers (begun, ended), the database in the end (stored,
// attempt), and what was done to the system (fault). A delivery that no attempt on record accounts for is allowed only near a
// fault: then its sender may have died, or lost the database, between the hand-over and the commit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/history.h"

namespace eilbote::test {

// The rules, as they stand in a report.
namespace history_rule {
inline constexpr std::string_view
    one_id = "a job handed in becomes one job at most, however often it was asked for",
    acknowledged_stored = "an acknowledged job is in the database",
    ended = "an acknowledged job is delivered, or dead with a reason",
    seen = "a job that counts as delivered was taken by its receiver",
    known = "a receiver sees only jobs that the database has",
    one_wire_id = "every delivery of a job carries the same Message-ID or webhook-id",
    accounted = "a delivery that is in no attempt on record has a fault beside it",
    started_once = "an attempt on record is started once", twice = "a job is taken twice only beside a fault",
    budget = "a job has no more attempts than it may", after_end = "nothing is tried after a job has ended",
    group_order = "the jobs of a group begin in their order",
    group_alone = "two jobs of a group are never under way together";
}  // namespace history_rule

struct HistoryRules {
  // How long after a delivery the fault may come that keeps it off the record: what a commit takes at most.
  std::int64_t commit_window = 5'000'000;
  // By how much moments of different programs may differ.
  std::int64_t slack = 100'000;
};

struct HistoryVerdict {
  bool holds() const { return violations.empty(); }
  // By rule: the cases.
  std::map<std::string_view, std::vector<std::string>> violations;
  int acknowledged = 0, delivered = 0, dead = 0;
  int duplicates = 0;  // deliveries that were taken beyond the first of a job
  int unrecorded = 0;  // deliveries that no attempt on record accounts for
  // The counts, and the first cases of each rule.
  std::string page() const;
};

HistoryVerdict check_history(const std::vector<HistoryEvent>& events, const HistoryRules& rules = {});

}  // namespace eilbote::test
