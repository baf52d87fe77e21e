// The offers of a broker, from their arrival until they are acknowledged: which go into the next exchange, what is told to the
// broker, to the publishers and to the metrics once the database has decided. Used by the ledger's thread only; calls no port
// itself, but its hooks may. A crash between the commit and the acknowledgement brings the message again, and the database
// says that it is stale.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/offer_book.h"
#include "engine/outcome_report.h"

namespace eilbote {

struct Metrics;

// Whether a job that was claimed because a message named it can be started here and now.
enum class WayOut {
  open,
  full,       // too many of its pool or for its host are under way
  closed,     // a breaker, or its pool is suspended
  elsewhere,  // its pool is limited, and another instance is its home
};

// How long a job is put back for, and its lane paused; absent: another instance may take it at once.
std::optional<Duration> put_back_for(WayOut way);

class OfferDesk {
 public:
  using Steady = Clock::Steady;
  struct Hooks {
    std::function<void(std::span<const Receipt>)> acknowledge;
    std::function<void(std::span<const LaneId>, Duration)> pause_lanes;  // may write to the database
  };
  OfferDesk(Hooks hooks, Metrics& metrics) : hooks_(std::move(hooks)), metrics_(metrics) {}

  void add(std::span<const Offer> offers);
  // Those that wait are taken from here, and come back when the exchange fails.
  OfferBook& book() { return book_; }

  // Takes those out of `claimed` that were claimed because they were offered; not `except`, which somebody asked for by name.
  std::vector<ClaimedJob> take_offered(std::vector<ClaimedJob>& claimed,
                                       const std::optional<JobId>& except) const;

  // What became of one of them. A claimed one is one of the two; what is neither was stale.
  void started(const ClaimedJob& job) { became_[job.job.id] = WayOut::open; }
  void put_back(const ClaimedJob& job, WayOut way);
  // All of this round are settled: acknowledges and counts them, and pauses the lanes that something was put back to.
  void finish_round(Steady now);

 private:
  MessageOutcome outcome_of(const OfferBook::Message& message) const;
  void pause_lanes(Steady now);

  const Hooks hooks_;
  Metrics& metrics_;
  OfferBook book_;
  std::map<JobId, WayOut> became_;  // of this round
  // Of this round: back to these lanes, for so long. The longer pause first.
  std::map<Duration, std::vector<LaneId>, std::greater<>> put_;
  std::map<LaneId, Steady> paused_;  // when a lane was last paused; within the last second
};

}  // namespace eilbote
