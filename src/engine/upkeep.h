// Upkeep: everything that must happen now and then without anybody asking. Heartbeats, rescue of lost leases,
// expiry, exhausted rows, group nets, retention, and the gauges. One thread; every task is small and safe to
// repeat.
//
// Of many instances any may sweep and one does: each sweep has a turn of its own in the database, as long as its interval
// (OutboxCare::take_turn), and who does not get it asks again after the interval. There is no leader: when the holder dies,
// its turns are free. Heartbeats, gauges and the chores of the application are each instance's own.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "engine/instance.h"
#include "ports/outbox_care.h"

namespace eilbote {

struct Metrics;

// Something small to be done now and then, safe to repeat.
struct Chore {
  std::string_view name;
  Duration every;
  std::function<Result<void>()> run;
};

struct UpkeepOptions {
  Duration lease = std::chrono::seconds{15};
  Duration foreign_lease = std::chrono::minutes{5};
  Duration stale_published = std::chrono::minutes{15};  // what lies in a broker for longer is taken back
  Duration retention = std::chrono::hours{24 * 30};
  Duration retention_dead = std::chrono::hours{24 * 90};
  // Set where mails may have left before their answer was stored: settles those of dead instances, which the rescue
  // then leaves alone.
  std::function<Result<SweepResult>()> settle_orphans;
  // Set where nothing is delivered: an instance that may know nothing of the way out leaves mails of dead ones to those who do.
  bool leaves_mails = false;
  // Webhooks this process still has in hand, under whatever epoch: after its lease was over it settles them itself, so its
  // own rescue leaves them alone. (Mails have a desk of their own, where that matters.)
  std::function<std::vector<JobId>()> held;
  std::vector<Chore> chores;
};

class Upkeep {
 public:
  virtual ~Upkeep() = default;
  // Rescues at once what is lost already (or another instance does), then goes on in the background.
  virtual void start() = 0;
  virtual void stop() = 0;
  // What its thread does each time it wakes: all that is due. Answers when it wants to wake again. Called by others only where
  // it was never started: tests/simulation takes the thread's place.
  virtual Clock::Steady turn(const std::stop_token& stop) = 0;
};

// `on_due` is told the lanes in which something became due.
std::unique_ptr<Upkeep> make_upkeep(OutboxCare& care, Instance& instance, const Clock& clock,
                                    Metrics& metrics, UpkeepOptions options,
                                    std::function<void(std::span<const LaneId>)> on_due);

}  // namespace eilbote
