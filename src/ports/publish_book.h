// What a scheduler does in the database: claims due jobs for the broker, marks what the broker has, and remembers which dead
// jobs were told. The rules of ports/outbox.h hold: each operation blocks, is one transaction unless it says otherwise, and
// goes by the database's clock. Used by the publisher's thread (engine/publisher.h), and by the ledger for paused lanes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/carried_job.h"
#include "ports/outbox.h"

namespace eilbote {

// A job that is `publishing`, leased under `token`.
struct PublishClaim {
  JobId id;
  LaneId lane;
  LeaseToken token;
  ChannelKind channel = ChannelKind::mail;
  std::string key;      // the Idempotency-Key, else the id's text
  std::string group;    // a name that is the same for all jobs of its group, nothing else; empty: none
  int attempt = 1;      // the number of the attempt to come
  int retry_count = 0;  // failed ones so far
  bool published_before =
      false;  // for this very attempt: its confirm was lost, or it was stale in the broker
  TimePoint next_attempt_at{};
};

// What became of a claim at the broker.
struct PublishMark {
  JobId id;
  LeaseToken token;
  bool published = false;  // false: queued again, due after `delay`
  Duration delay{0};
};

struct PublishRequest {
  std::vector<PublishMark> marks;
  std::vector<ClaimLane> lanes;
  LeaseToken token;  // for what is claimed
};
struct PublishResult {
  std::vector<PublishClaim> claimed;  // per lane by next_attempt_at, id
  TimePoint now{};
};

// How long a lane is paused whose way out is closed, and one whose jobs only found no room: that passes by itself.
inline constexpr Duration kClosedPause = std::chrono::seconds{5};
inline constexpr Duration kFullPause = std::chrono::seconds{1};

struct PausedLane {
  LaneId lane;
  Duration left{};
};

class PublishBook {
 public:
  virtual ~PublishBook() = default;

  // Marks, then claims, in one transaction. A mark is guarded by id, token and `publishing`: one whose job a worker has started
  // already (it may be faster than the mark), or that was rescued, changes nothing. A published job has last_queued_at = now
  // and no lease. Claiming takes queued rows that are due with attempts left, as Outbox::exchange does, skipping rows that
  // others hold. A claim whose answer is lost is freed by release_unheld.
  virtual Result<PublishResult> publish_round(const PublishRequest& request) = 0;

  // Frees `publishing` rows of this epoch whose ids are not in `held` (sorted): claims whose answer was lost. Burns nothing.
  // Answers how many.
  virtual Result<int> release_unheld(Epoch epoch, std::span<const JobId> held) = 0;

  // A worker found the way out of these lanes closed (a breaker, a suspended pool): nothing is published from them for so
  // long. A longer pause that runs already stays.
  virtual Result<void> pause_lanes(std::span<const LaneId> lanes, Duration pause) = 0;
  virtual Result<std::vector<PausedLane>> paused_lanes() = 0;

  // Dead jobs that were not told since they died, oldest first. A read.
  virtual Result<std::vector<DeadLetter>> untold_dead(int rows_max) = 0;
  // These were told. One that was sent again and died anew meanwhile is to be told again.
  virtual Result<void> told_dead(std::span<const DeadLetter> letters) = 0;
};

}  // namespace eilbote
