// What the publisher asks the database for next: due lanes, fairly between pools and clients (LaneBook), without those that
// are paused, whose pool does not travel, whose channel's queue is long enough or took nothing a moment ago. No I/O but the
// transport's word about its queues; times are handed in. Used by the publisher's thread only.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/lane_book.h"
#include "engine/lane_pauses.h"
#include "engine/publisher.h"

namespace eilbote {

// At most so many jobs are claimed in a round, and handed to the broker together.
inline constexpr int kPublishBatchMax = 500;

// What became of a batch's parcels for one queue.
struct CarriedCount {
  int confirmed = 0, refused = 0, unknown = 0;

  void add(Carriage carriage) {
    ++(carriage == Carriage::confirmed ? confirmed : carriage == Carriage::refused ? refused : unknown);
  }
};

class PublishPlan {
 public:
  using Steady = Clock::Steady;
  PublishPlan(const Transport& transport, const PublisherOptions& options)
      : transport_(transport), options_(options) {}

  LaneBook& lanes() { return lanes_; }
  LanePauses& pauses() { return pauses_; }
  // Limited pools do not travel; what is suspended or not known yet waits.
  void learn_pools(const std::vector<Pool>& pools);
  // What the store says about lanes; those of pools that do not travel are nobody's here.
  void learn(const ActiveLanes& active, Steady now);

  std::vector<ClaimLane> plan(Steady now);
  void claimed(std::span<const ClaimLane> asked, std::span<const PublishClaim> got);

  // What the broker said about a queue's parcels of one batch. Answers how long those that were refused wait: longer and
  // longer while it goes on. A queue that confirmed none at all is left alone as long, else the whole backlog would be moved
  // through it in vain.
  Duration carried(CarrierQueue queue, const CarriedCount& count, Steady now);

  // Whether a queue that is long enough is all that keeps jobs from being claimed: look again soon.
  bool is_held_by_depth(Steady now) const;
  // When there may be more to ask for.
  std::optional<Steady> next_change(Steady now) const;

 private:
  struct Failures {
    Duration delay{0};
    Steady until{};  // nothing is claimed for the queue before
  };
  std::vector<ClaimLane> plan(ChannelKind channel, int room, int pools, Steady now);
  bool is_open(ChannelKind channel, Steady now) const;
  int ready_pools(ChannelKind channel, Steady now) const;
  std::int64_t depth_left(ChannelKind channel) const;

  const Transport& transport_;
  const PublisherOptions& options_;
  LaneBook lanes_;
  LanePauses pauses_;
  std::set<std::string> travelling_;  // pools
  std::map<CarrierQueue, Failures> failures_;
  std::minstd_rand turn_;  // whose turn it is where not everybody can have one
};

}  // namespace eilbote
