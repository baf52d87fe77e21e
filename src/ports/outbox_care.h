// The care of the outbox: the life of the instances that lease its rows, and the upkeep that puts right what is lost, late
// or old. The other half of ports/outbox.h, whose rules hold here too: an operation blocks until the database answered, and
// is one transaction unless it says otherwise. Called by Instance, Upkeep, OrphanDesk and the ledger's reconciliation; never
// on the way of a single job, so nothing here has to be fast.
//
// Every operation may be repeated: after a crash, or an error that leaves it open what happened, the next call does the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbox.h"

namespace eilbote {

// ---- instances ----

struct Heartbeat {
  bool alive = false;                   // false: the lease was over; take a new epoch
  std::vector<std::string> home_pools;  // the limited pools this instance is the home of
  int peers = 0;                        // other instances whose lease runs
};

// ---- upkeep ----

// What upkeep puts right, one kind per call.
enum class Sweep {
  rescue_foreign,  // claimed without a token longer ago than `foreign_lease` -> queued, or failed as by rescue()
  expire,          // past expires_at and not leased -> failed (Expired)
  exhaust,         // queued with retry_count >= max_attempts -> failed (MaxAttemptsExceeded)
  promote,         // groups with a due line and nobody in turn
  retain,  // finished longer than `retention` (dead: `retention_dead`) ago -> deleted, with all their records
  keys,    // idempotency keys past their day
  reports,    // delivery reports that no mail was found for, older than `retention`
  flow,       // totals per minute, older than kFlowKept (domain/flow.h)
  unpublish,  // published longer ago than `stale_published` and not started -> queued
};
struct SweepParams {
  Sweep sweep = Sweep::expire;
  Duration foreign_lease = std::chrono::minutes{5};
  Duration stale_published = std::chrono::minutes{15};
  Duration retention = std::chrono::hours{24 * 30};
  Duration retention_dead = std::chrono::hours{24 * 90};
  int rows_max = 500;
};
struct RescueParams {
  bool spare_mails = false;    // they are left to whoever knows what became of them (orphans)
  std::string of_instance{};   // only the epochs of this instance, over or not; empty: of all that are over
  std::vector<JobId> spare{};  // and these are left to this process, which still has them in hand
  int rows_max = 500;
};
// A job that a sweep ended for good, as far as the log tells of it.
struct DeadJob {
  JobId id;
  ChannelKind channel = ChannelKind::mail;
  int retry_count = 0;
};

struct SweepResult {
  int changed = 0;
  int failed = 0;               // of those, how many are now dead
  int failed_mails = 0;         // of the dead, how many are mails
  bool more = false;            // rows_max was reached: call again
  std::vector<LaneId> lanes{};  // in which something became due
  std::vector<DeadJob> dead{};  // those that failed
};

struct PoolStats {
  std::string pool;
  std::int64_t depth = 0;           // waiting: exact to 10,000, then 10,001 for "more"
  std::optional<TimePoint> oldest;  // next_attempt_at of the oldest due
};
struct OutboxStats {
  std::vector<PoolStats> pools;
  std::int64_t retries_due = 0;  // exact to 10,000
  TimePoint now{};
};

class OutboxCare {
 public:
  virtual ~OutboxCare() = default;

  // A new epoch for this instance; leases of earlier epochs under the same name are over at once. A crash around it, or an
  // ambiguous error, may leave an epoch that nobody uses: it holds nothing, and goes with the first rescue after its lease.
  virtual Result<Epoch> start_instance(const std::string& name, Duration lease) = 0;

  // Stretches this epoch's lease, then takes or keeps the home of every limited pool that nobody alive holds. Never revives
  // a lease that was over. On PostgreSQL these are two transactions: a crash in between leaves the lease stretched and the
  // homes as they were, for the next beat. An instance that delivers nothing takes no homes.
  virtual Result<Heartbeat> heartbeat(Epoch epoch, Duration lease, bool takes_homes) = 0;

  // Whether this instance does a piece of upkeep now: true for the first that asks, then for nobody else until `turn` is over
  // or it asks again itself, or is dead. So that any instance may do it and one does; nothing is lost when two did. An instance
  // that is alone only reads.
  virtual Result<bool> take_turn(const std::string& chore, Epoch epoch, Duration turn) = 0;

  // Gives up the epoch and its homes at a clean stop; twice is harmless. What it still leases is free for rescue at once. When
  // it did not happen, the lease runs out by itself.
  virtual Result<void> end_instance(Epoch epoch) = 0;

  // Frees rows leased to this epoch for delivery whose ids are not in `held` (sorted): claims whose answer was lost. What it is
  // publishing is the publisher's (PublishBook::release_unheld). Burns nothing; a
  // webhook that was cancelled meanwhile ends. `held` is read before the rows, so the caller claims nothing during the call.
  // Turns of groups that became free are passed on in a second transaction: a crash in between leaves them to Sweep::promote.
  // Answers how many rows it freed.
  virtual Result<int> reconcile(Epoch epoch, std::span<const JobId> held) = 0;

  // Mails that instances whose life is over were delivering, with the tokens they are leased under; to be settled with
  // them. (Those they were only publishing are rescue()'s.) With a name: to earlier lives of that instance, over or not (its data folder is ours now). Changes nothing and locks
  // nothing: somebody may settle or rescue them before the caller does, whose settlement is then stale.
  virtual Result<std::vector<ClaimedJob>> orphans(const std::string& of_instance, int rows_max) = 0;

  // Frees what instances whose life is over still lease: queued again, or failed (Abandoned) at the 10th loss; an epoch that
  // holds nothing more is forgotten. One that was only being published is queued again and has lost nothing. At most rows_max rows, skipping rows others hold. On PostgreSQL one transaction per
  // epoch and one for the turns of groups: a crash in between leaves the rest as it was, and a group without a turn to
  // Sweep::promote.
  virtual Result<SweepResult> rescue(const RescueParams& params) = 0;

  // At most rows_max rows, skipping rows others hold, so it waits for nobody. The rows of a call are one transaction, with
  // their events; on PostgreSQL the turns of groups follow in a second one, and a crash in between leaves a group without a
  // turn to Sweep::promote.
  virtual Result<SweepResult> sweep(const SweepParams& params) = 0;

  // For the gauges. A read: no transaction, so its numbers may be of slightly different moments. What it costs is bounded by
  // the 10,000 it counts to.
  virtual Result<OutboxStats> stats() = 0;
};

}  // namespace eilbote
