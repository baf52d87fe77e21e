// What the model of the database keeps of a job: the outbox row and what lies beside it, as far as the engine can tell.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/outbox.h"

namespace eilbote::sim {

struct Row {
  Job job;  // its status, counters and times are the row's
  LaneId lane;
  std::optional<int> group;
  int sequence = 99;
  int place = 0;
  LeaseToken token{};                 // of who has it; zero: nobody
  std::vector<Recipient> recipients;  // of a mail
  RetryPolicy policy;
  OnUncertain on_uncertain = OnUncertain::retry;
  std::vector<LeaseToken> recorded;  // the tokens of its attempts on record

  bool is_leased() const { return token != LeaseToken{}; }
  // Dead, and only a person lets its group go on.
  bool blocks_group() const { return job.holds_turn && job.status == JobStatus::failed; }
  std::pair<int, int> rank() const { return {sequence, place}; }
};

// A claim as it was made, whatever became of the row since.
struct Claim {
  JobId id;
  LeaseToken token;
  TimePoint at;
};

}  // namespace eilbote::sim
