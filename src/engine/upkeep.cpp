#include "engine/upkeep.h"

#include <algorithm>
#include <condition_variable>
#include <optional>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "domain/clock_skew.h"
#include "engine/outcome_report.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

using Steady = Clock::Steady;
using namespace std::chrono_literals;

// How often each sweep runs, by whichever instance has its turn; the name is the turn's. Rescue and promotion bound how long
// a job may be stuck; the others only tidy up.
struct Task {
  std::optional<Sweep> sweep;  // absent: the rescue of what dead instances hold
  std::string_view name;
  Duration every;
  Steady next{};
};

// Batches of one sweep in a row before the heartbeat gets its turn again.
constexpr int kBatchesInARow = 20;
constexpr Duration kStatsEvery = 5s;

class TimedUpkeep final : public Upkeep {
 public:
  TimedUpkeep(OutboxCare& care, Instance& instance, const Clock& clock, Metrics& metrics,
              UpkeepOptions options, std::function<void(std::span<const LaneId>)> on_due)
      : care_(care),
        instance_(instance),
        clock_(clock),
        metrics_(metrics),
        options_(std::move(options)),
        on_due_(std::move(on_due)),
        service_("upkeep", [this](const std::stop_token& stop) { run(stop); }) {
    // A turn of its own: who rescues mails must be able to.
    if (options_.leaves_mails) tasks_.front().name = "rescue dead instances, not their mails";
  }
  ~TimedUpkeep() override { stop(); }

  void start() override { service_.start(); }
  void stop() override { service_.stop(); }

  Steady turn(const std::stop_token& stop) override {
    const Steady now = clock_.steady_now();
    if (now >= beat_at_) {
      beat_at_ = now + (beat() ? options_.lease / 5 : Duration{250ms});
    }
    for (Task& task : tasks_)
      if (now >= task.next && !stop.stop_requested())
        task.next = now + (work_on(task) ? Duration{0} : task.every);
    for (std::size_t i = 0; i < options_.chores.size(); ++i)
      if (now >= chores_at_[i] && !stop.stop_requested()) chores_at_[i] = now + do_chore(options_.chores[i]);
    if (now >= stats_at_) {
      stats_at_ = now + kStatsEvery;
      stats();
    }
    Steady until = std::min(beat_at_, stats_at_);
    for (const Task& task : tasks_)
      until = std::min(until, task.next);
    for (const Steady at : chores_at_)
      until = std::min(until, at);
    return until;
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Steady until = turn(stop);
      const MutexLock lock(mutex_);
      wake_.wait_until(mutex_, stop, until, [] { return false; });
    }
  }

  // Answers when it is to be done again.
  Duration do_chore(const Chore& chore) {
    if (const auto done = chore.run(); !done) trouble(chore.name, done.error());
    return chore.every;
  }

  bool beat() {
    const auto done = instance_.beat();
    if (!done) trouble("heartbeat", done.error());
    metrics_.set(Metric::delivers, !options_.leaves_mails && instance_.trusted() ? 1 : 0);
    if (done) metrics_.set(Metric::instances, instance_.peers() + 1);
    return done.has_value();
  }

  // Whether this instance is the one that sweeps now. Asked before every batch, so that a long sweep keeps its turn.
  bool has_turn(const Task& task) {
    const auto turn = care_.take_turn(std::string(task.name), instance_.epoch(), task.every);
    if (!turn) trouble(task.name, turn.error());
    return turn.value_or(false);
  }

  // True when there is more to do at once.
  bool work_on(const Task& task) {
    const bool has_desk = !task.sweep && options_.settle_orphans;
    const RescueParams rescue = task.sweep ? RescueParams{} : rescue_params();
    for (int i = 0; i < kBatchesInARow; ++i) {
      if (!has_turn(task)) return false;
      const auto swept = task.sweep ? care_.sweep(sweep_params(*task.sweep)) : care_.rescue(rescue);
      if (!swept) {
        trouble(task.name, swept.error());
        return false;
      }
      count(task, *swept);
      if (!swept->lanes.empty()) on_due_(swept->lanes);
      const bool more_orphans = has_desk && settle_orphans();
      if (!swept->more && !more_orphans) return false;
    }
    return true;
  }

  SweepParams sweep_params(Sweep sweep) const {
    SweepParams params;
    params.sweep = sweep;
    params.foreign_lease = options_.foreign_lease;
    params.stale_published = options_.stale_published;
    params.retention = options_.retention;
    params.retention_dead = options_.retention_dead;
    return params;
  }

  RescueParams rescue_params() const {
    RescueParams params;
    params.spare_mails = options_.leaves_mails || options_.settle_orphans;
    if (options_.held) params.spare = options_.held();
    return params;
  }

  // The desk counts what became of each mail itself. True when there are more.
  bool settle_orphans() {
    const auto settled = options_.settle_orphans();
    if (!settled) {
      trouble("mails of dead instances", settled.error());
      return false;
    }
    if (settled->changed > 0) {
      log::info("settled mails of dead instances",
                {{"count", settled->changed}, {"failed", settled->failed}});
      metrics_.add(Metric::lease_losses, settled->changed);
    }
    if (!settled->lanes.empty()) on_due_(settled->lanes);
    return settled->more && settled->changed > 0;
  }

  void count(const Task& task, const SweepResult& swept) {
    if (swept.changed == 0) return;
    log::info("upkeep", {{"task", task.name}, {"changed", swept.changed}, {"failed", swept.failed}});
    const bool rescue = !task.sweep || task.sweep == Sweep::rescue_foreign;
    if (rescue) report_rescued(swept, metrics_);
    if (task.sweep == Sweep::unpublish) report_unpublished(swept, metrics_);
    const DeadReason reason = task.sweep == Sweep::expire    ? DeadReason::Expired
                              : task.sweep == Sweep::exhaust ? DeadReason::MaxAttemptsExceeded
                                                             : DeadReason::Abandoned;
    report_dead(swept, reason, metrics_);
  }

  void stats() {
    const TimePoint asked = clock_.now();
    const auto stats = care_.stats();
    if (!stats) return trouble("stats", stats.error());
    for (const PoolStats& pool : stats->pools) {
      metrics_.set(Metric::queue_depth, static_cast<double>(pool.depth), {pool.pool});
      const double age = pool.oldest ? std::chrono::duration<double>(stats->now - *pool.oldest).count() : 0;
      metrics_.set(Metric::queue_oldest_seconds, std::max(0.0, age), {pool.pool});
    }
    metrics_.set(Metric::retries_due, static_cast<double>(stats->retries_due));
    const Duration skew = clock_skew(asked, stats->now, clock_.now());
    metrics_.set(Metric::clock_skew, std::chrono::duration<double>(skew).count());
  }

  static void trouble(std::string_view task, const Error& error) {
    log::warning("upkeep could not do its work, trying again", {{"task", task}, {"error", error.message}});
  }

  OutboxCare& care_;
  Instance& instance_;
  const Clock& clock_;
  Metrics& metrics_;
  const UpkeepOptions options_;
  const std::function<void(std::span<const LaneId>)> on_due_;
  std::vector<Task> tasks_{
      {std::nullopt, "rescue dead instances", 1s, {}},
      {Sweep::rescue_foreign, "rescue foreign claims", 5s, {}},
      {Sweep::promote, "promote groups", 1s, {}},
      {Sweep::expire, "expire", 2s, {}},
      {Sweep::exhaust, "exhausted rows", 10s, {}},
      {Sweep::retain, "retention", 60s, {}},
      {Sweep::keys, "idempotency keys", 60s, {}},
      {Sweep::reports, "delivery reports", 60s, {}},
      {Sweep::flow, "totals per minute", 600s, {}},
      // Also without a broker: what lies in one that is no longer used must not lie there for ever.
      {Sweep::unpublish, "stale in the broker", std::min<Duration>(60s, options_.stale_published), {}},
  };
  Steady beat_at_{}, stats_at_{};
  std::vector<Steady> chores_at_ = std::vector<Steady>(options_.chores.size());
  Mutex mutex_;  // guards nothing: a condition needs one to wait with
  std::condition_variable_any wake_;
  Service service_;
};

}  // namespace

std::unique_ptr<Upkeep> make_upkeep(OutboxCare& care, Instance& instance, const Clock& clock,
                                    Metrics& metrics, UpkeepOptions options,
                                    std::function<void(std::span<const LaneId>)> on_due) {
  return std::make_unique<TimedUpkeep>(care, instance, clock, metrics, std::move(options), std::move(on_due));
}

}  // namespace eilbote
