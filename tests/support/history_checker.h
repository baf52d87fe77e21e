// Decides from a history (history.h) whether what must always hold did hold. Pure: events in, violations out. A violation names
// its rule and the jobs that break it; history_story.h tells what happened to these.
//
// What is held against each other: clients (asked, acknowledged, cancelled), receivers (begun, ended), the database in the end
// (stored, attempt), and what was done to the system (fault). A delivery that no attempt on record accounts for is allowed only
// near a fault: then its sender may have died, or lost the database, between the hand-over and the commit. What comes late,
// after a process was frozen or a line held bytes back, may also overtake: such faults excuse what is seen at receivers, and
// never what is on record.
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
    repeat_kept = "a job handed in again under its key is not refused",
    acknowledged_stored = "an acknowledged job is in the database",
    ended = "an acknowledged job is delivered, or dead with a reason",
    seen = "a job that counts as delivered was taken by its receiver",
    known = "a receiver sees only jobs that the database has",
    one_wire_id = "every delivery of a job carries the same Message-ID or webhook-id",
    accounted = "a delivery that is in no attempt on record has a fault beside it",
    started_once = "an attempt on record is started once", twice = "a job is taken twice only beside a fault",
    held_once = "a mail that may not be sent twice is not taken twice",
    job_alone = "two deliveries of one job are under way together only beside a fault",
    budget = "a job has no more attempts than it may",
    counted = "what a job has used up is on record, and deferrals use up nothing",
    after_end = "nothing is tried after a job has ended",
    cancelled_stays = "a job that a client was told is cancelled stays so",
    cancelled_silent = "no delivery begins after a client was told that the job is cancelled",
    group_order = "the jobs of a group begin in their order",
    group_alone = "two jobs of a group are never under way together",
    group_blocks = "in a group that blocks, none begins before the one in front of it is done",
    pool_rate = "a pool starts no more than its rate and burst",
    pool_concurrency = "a pool has no more deliveries under way than it may";
}  // namespace history_rule

struct HistoryRules {
  // How long after a delivery the fault may come that keeps it off the record: what a commit takes at most.
  std::int64_t commit_window = 5'000'000;
  // By how much moments of different programs may differ.
  std::int64_t slack = 100'000;
  // How long after a freeze, or after a line lets bytes through again, what was late may arrive.
  std::int64_t late_window = 2'000'000;
  // By how much starts that were apart may be closer together when they arrive.
  std::int64_t rate_slack = 1'000'000;
};

struct HistoryViolation {
  std::string text;
  std::vector<std::string> ids;  // the jobs it is about
};

struct HistoryVerdict {
  bool holds() const { return violations.empty(); }
  // By rule: the cases.
  std::map<std::string_view, std::vector<HistoryViolation>> violations;
  int acknowledged = 0, delivered = 0, dead = 0, cancelled = 0;
  int duplicates = 0;  // deliveries that were taken beyond the first of a job
  int unrecorded = 0;  // deliveries that no attempt on record accounts for
  // Of the duplicates: how many had a fault of this kind beside the one before, the likeliest of several.
  std::map<std::string, int> duplicates_beside;
  // The counts, and the first cases of each rule.
  std::string page() const;
};

HistoryVerdict check_history(const std::vector<HistoryEvent>& events, const HistoryRules& rules = {});

}  // namespace eilbote::test
