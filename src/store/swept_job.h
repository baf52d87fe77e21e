// A row that upkeep moved, as the sweeps' statements answer it, and the status event that follows; the same in both
// stores.
#pragma once

#include "domain/job.h"

namespace eilbote {

struct SweptJob {
  JobId id;
  LaneId lane;
  ChannelKind channel = ChannelKind::mail;
  JobStatus status = JobStatus::queued;  // now
  int retry_count = 0;
  int deferrals = 0;
  bool partial = false;
  std::optional<DeadReason> dead_reason;
  std::optional<std::int64_t> group;  // whose turn may be free now
};

// The event of a job that has ended; `before` is the status it was found in.
StatusEvent event_of_end(const SweptJob& swept, JobStatus before, std::string_view reason);

}  // namespace eilbote
