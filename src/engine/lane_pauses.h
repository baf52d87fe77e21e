// The lanes that workers asked publishers to leave alone for a while (PublishBook::pause_lanes): their way out is closed, and
// what is published from them only comes back. After a pause because its way was closed a lane is tried with a few jobs a
// second, and trusted again when none of them brought a new pause; one that was only full goes on at once. No I/O and no clock. Used by the publisher's thread only; lost with the process, and read
// again by the next.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "base/clock.h"
#include "ports/publish_book.h"

namespace eilbote {

class LanePauses {
 public:
  using Steady = Clock::Steady;

  // What the book says now. Forgets lanes that have been well for long enough.
  void learn(std::span<const PausedLane> paused, Steady now);
  bool empty() const { return lanes_.empty(); }

  // How many jobs of this lane may be asked for.
  int room(LaneId lane, Steady now) const;
  // Some were.
  void asked(LaneId lane, Steady now);

  // When some lane's room grows.
  std::optional<Steady> next_change(Steady now) const;

 private:
  struct Pause {
    Steady until{};
    Steady next_try{};      // after the pause
    bool on_trial = false;  // after it

    Steady well_at() const;
  };
  std::map<LaneId, Pause> lanes_;
};

}  // namespace eilbote
