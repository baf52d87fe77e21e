// A row that upkeep moved, as the sweeps' statements answer it, and the status event that follows; the same in both
// stores.
#pragma once

#include "domain/after_attempt.h"
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

// What a sweep does to its rows: the status it finds them in, and why it ends those it ends.
struct Move {
  JobStatus before;
  std::string_view reason;
};
inline constexpr Move kRescue{JobStatus::dispatching, "worker lost 10 times"};
static_assert(kLeaseLossesMax == 10, "the text above names it");
inline constexpr Move kExpire{JobStatus::queued, "expired"};
inline constexpr Move kExhaust{JobStatus::queued, kAttemptsUsedUp};

inline bool is_dead_mail(const SweptJob& swept) {
  return swept.status == JobStatus::failed && swept.channel == ChannelKind::mail;
}

// The event of a job that has ended.
StatusEvent event_of_end(const SweptJob& swept, const Move& move);

}  // namespace eilbote
