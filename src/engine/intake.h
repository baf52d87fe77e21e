// Intake: takes new jobs from the API and commits them in groups. While one commit runs the next batch
// gathers, so an idle server answers after one commit and a busy one commits hundreds at once. No timer
// holds the only commit back. On a store that takes several commits at once, helpers commit beside the first hand while enough waits;
// jobs of a group are the first hand's alone, so that their order is the order they came in.
//
// Promise: `answer` is called exactly once per job, and with `accepted` only after the commit. After a crash
// an unanswered job may exist, once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "ports/http.h"
#include "ports/outbox.h"

namespace eilbote {

struct IntakeAnswer {
  enum class Kind {
    accepted,
    replayed,
    conflict,     // the Idempotency-Key belongs to another request
    rejected,     // the database refused this row; it failed alone
    unavailable,  // the store did not answer in time; the job may exist, at most once
  };
  Kind kind = Kind::unavailable;
  JobId id;
};

struct IntakeLimits {
  std::size_t rows_max = 500;                    // per commit
  std::size_t bytes_max = 4 * 1024 * 1024;       // per commit; a larger mail goes alone
  std::size_t waiting_max = 20'000;              // jobs waiting; more: refused at once
  std::size_t hands = 1;                         // commits at once
  std::size_t help_from = 24;                    // waiting jobs that are worth a helper's commit
  Duration patience = std::chrono::seconds{10};  // how long a job waits for a store that is away
};

struct Metrics;

class Intake {
 public:
  using Answer = std::function<void(IntakeAnswer)>;
  virtual ~Intake() = default;

  // False when too many jobs wait already: nothing was taken, `answer` will not be called (429).
  // Otherwise `answer` is called later, on an intake thread. Never blocks. `reservation` is held until then.
  virtual bool accept(NewJob job, ByteReservation reservation, Answer answer) = 0;

  virtual void start() = 0;
  // Commits what waits, then stops; what cannot be committed in time is answered unavailable.
  virtual void stop() = 0;
};

// The same intake for one who steps it instead of starting it: then it has no threads. tests/simulation does.
class SteppedIntake : public Intake {
 public:
  // What it does while the store is away.
  struct Pauses {
    std::function<void(Duration)> wait;
    std::function<bool()> is_over;  // it is to stop: who still waits is answered
  };
  // What the first hand's thread does once something waits. False: nothing does.
  virtual bool step(const Pauses& pauses) = 0;
};

// `on_accepted` is told the lanes of each commit (the ledger's wake-up).
std::unique_ptr<SteppedIntake> make_stepped_intake(Outbox& outbox, const Clock& clock, Metrics& metrics,
                                                   IntakeLimits limits,
                                                   std::function<void(std::span<const LaneId>)> on_accepted);
std::unique_ptr<Intake> make_intake(Outbox& outbox, const Clock& clock, Metrics& metrics, IntakeLimits limits,
                                    std::function<void(std::span<const LaneId>)> on_accepted);

}  // namespace eilbote
