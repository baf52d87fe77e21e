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

// What a sweep does to its rows: the status it finds them in, and why it ends or moves those it does.
struct Move {
  JobStatus before;
  std::string_view reason;
};
inline constexpr Move kRescue{JobStatus::dispatching, "worker lost 10 times"};
static_assert(kLeaseLossesMax == 10, "the text above names it");
inline constexpr Move kExpire{JobStatus::queued, "expired"};
inline constexpr Move kExhaust{JobStatus::queued, kAttemptsUsedUp};
inline constexpr Move kUnpublish{JobStatus::published, "in the broker for too long"};

inline bool is_dead_mail(const SweptJob& swept) {
  return swept.status == JobStatus::failed && swept.channel == ChannelKind::mail;
}

// The event of what a sweep has moved, if it is to have one: when it has ended, or when it was taken back from the broker and
// its public state shows that (a webhook job's does). A rescued job is where it was before somebody began with it: none.
// `broker`: one is configured.
std::optional<StatusEvent> event_of_sweep(const SweptJob& swept, const Move& move, bool broker);

}  // namespace eilbote
