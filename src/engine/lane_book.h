// The lanes an instance knows of, and which of them to ask for work next. No I/O and no clock: times are
// handed in. The ledger and the publisher have one each, for their own thread only.
//
// Fair between clients first, then between a client's lanes: the room of a pool is split evenly over the
// clients that may have work, each client's share evenly over its lanes, beginning one further each round.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/host_book.h"
#include "ports/outbox.h"

namespace eilbote {

class LaneBook {
 public:
  using Steady = Clock::Steady;

  // What the store says about lanes with queued rows. Lanes it does not name have none. `now` is read after the store has answered:
  // with an earlier one a lane would be asked before its job is due, get nothing, and rest until the next look.
  void learn(const ActiveLanes& active, Steady now);
  // New work in a lane. A lane the book does not know yet is learnt at the next look-around: true if so.
  bool wake(LaneId lane);
  void wake_all();
  // These lanes have nothing, until somebody says otherwise. For lanes that are never asked: a ready one is kept for good.
  using Which = std::function<bool(const ActiveLane&)>;
  void rest(const Which& which);
  // A row of this lane becomes due at `at` (a retry that was just settled).
  void note_due(LaneId lane, Steady at);

  struct Room {
    std::function<int(const std::string& pool)> of_pool;  // how many more may be started
    // And on this route, whatever the pool.
    std::function<RouteRoom(ChannelKind, const std::string& route)> of_route;
    // A pool with a rate spends it with the claim: nothing of it is claimed ahead.
    std::function<bool(const std::string& pool)> begins_at_once;
    // And of this lane, whatever its pool and route have; empty: as much as those.
    std::function<int(LaneId)> of_lane = {};
  };
  // What to ask for now. Every lane named is asked for at least one.
  std::vector<ClaimLane> plan(const Room& room, Steady now) { return plan(room, now, {}); }
  // Only of these lanes; empty: of all.
  std::vector<ClaimLane> plan(const Room& room, Steady now, const Which& which);
  // Of a lane in a plan.
  ChannelKind channel_of(LaneId lane) const { return lanes_.at(lane).facts.channel; }
  // What came of it: a lane that gave less than asked has no more due rows for now.
  void claimed(std::span<const ClaimLane> asked, std::span<const ClaimedJob> got);
  struct Row {
    LaneId lane;
    TimePoint due;
  };
  void claimed_rows(std::span<const ClaimLane> asked, std::span<const Row> got);

  // When a lane will have due work that is not ready yet; for the ledger's wait. What is due already is asked for in the
  // next plan.
  std::optional<Steady> next_due(Steady now) const;
  // Whether a lane of this channel in this pool may have due work now.
  bool any_ready(ChannelKind channel, const std::string& pool) const;
  // The pools of this channel's lanes that may have due work now.
  std::set<std::string> ready_pools(ChannelKind channel, Steady now) const;

 private:
  struct Lane {
    ActiveLane facts;
    bool ready = false;
    std::optional<Steady> due;           // the next time it may become ready
    std::optional<TimePoint> low_water;  // database time; below it there is nothing left
    Steady full_look{};                  // when it was last asked without low_water
  };
  class RoomLeft;
  using Clients = std::map<std::string, std::vector<LaneId>>;
  void ripen(Steady now);
  void share_out(const std::string& pool, const Clients& clients, RoomLeft& room, Steady now,
                 std::vector<ClaimLane>& asks);
  ClaimLane ask(LaneId id, int n, Steady now);

  std::map<LaneId, Lane> lanes_;
  std::map<std::string, std::size_t> turns_;  // by pool: who comes first in the next plan
};

}  // namespace eilbote
