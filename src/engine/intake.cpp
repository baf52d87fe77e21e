#include "engine/intake.h"

#include <algorithm>
#include <condition_variable>
#include <map>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "domain/tsid.h"
#include "engine/intake_queue.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

using Kind = IntakeAnswer::Kind;

// A commit beside others is put off for company by this at most: one of them may hang.
constexpr Duration kGatherMax = std::chrono::milliseconds{5};

// Jobs of one batch under one idempotency key: the first is asked of the database, the others follow its
// outcome.
using Followers = std::map<JobId, std::vector<WaitingJob>>;

class GroupCommitIntake final : public SteppedIntake {
 public:
  GroupCommitIntake(Outbox& outbox, const Clock& clock, Metrics& metrics, IntakeLimits limits,
                    std::function<void(std::span<const LaneId>)> on_accepted)
      : outbox_(outbox),
        clock_(clock),
        metrics_(metrics),
        limits_(limits),
        on_accepted_(std::move(on_accepted)),
        first_("intake", [this](std::stop_token stop) { run(stop, Hand::first); }) {
    for (std::size_t n = 2; n <= limits_.hands; ++n)
      helpers_.push_back(std::make_unique<Service>(
          "intake-" + std::to_string(n), [this](std::stop_token stop) { run(stop, Hand::helper); }));
  }
  ~GroupCommitIntake() override { stop(); }

  bool accept(NewJob job, ByteReservation reservation, Answer answer) override {
    bool first_wanted = false, help_wanted = false;
    WaitingJob waiting{std::make_unique<NewJob>(std::move(job)), std::move(reservation), std::move(answer),
                       clock_.steady_now() + limits_.patience};
    {
      const MutexLock lock(mutex_);
      if (stopping_ || lines_.size() >= limits_.waiting_max) return false;
      lines_.push_back(std::move(waiting));
      first_wanted = lines_.size() == 1 || has_batch_for(Hand::first);
      help_wanted = has_batch_for(Hand::helper);
    }
    if (first_wanted) work_waits_.notify_one();
    if (help_wanted) enough_waits_.notify_one();
    return true;
  }

  void start() override {
    first_.start();
    for (const auto& helper : helpers_)
      helper->start();
  }

  void stop() override {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    // A helper may still put a twin back, so they go first.
    for (const auto& helper : helpers_)
      helper->stop();
    first_.stop();
    const MutexLock lock(mutex_);
    for (WaitingJob& late : lines_.take_all())
      late.answer({Kind::unavailable, late.job->id});
  }

  bool step(const Pauses& pauses) override {
    std::vector<WaitingJob> batch;
    {
      const MutexLock lock(mutex_);
      batch = lines_.take(Hand::first, limits_.rows_max, limits_.bytes_max);
    }
    if (batch.empty()) return false;
    Followers followers = set_twins_aside(batch);
    commit(std::span(batch), AcceptRun::first, followers, pauses);
    return true;
  }

 private:
  // Ends only when it was asked to and nothing waits: what was taken is committed, or refused in time.
  void run(std::stop_token stop, Hand hand) {
    const Pauses pauses{[&](Duration pause) { wait_for_store(pause, stop); },
                        [&] { return stop.stop_requested(); }};
    while (true) {
      std::vector<WaitingJob> batch;
      {
        const MutexLock lock(mutex_);
        wait_for_batch(stop, hand);
        batch = lines_.take(hand, limits_.rows_max, limits_.bytes_max);
        if (batch.empty()) {
          if (stop.stop_requested()) return;
          continue;  // another hand was faster
        }
        ++committing_;
      }
      Followers followers = set_twins_aside(batch);
      commit(std::span(batch), AcceptRun::first, followers, pauses);
      over();
    }
  }

  void wait_for_batch(const std::stop_token& stop, Hand hand) EILBOTE_REQUIRES(mutex_) {
    const auto enough = [&]() EILBOTE_REQUIRES(mutex_) { return has_batch_for(hand); };
    if (hand == Hand::helper) {
      enough_waits_.wait(mutex_, stop, enough);
      return;
    }
    work_waits_.wait(mutex_, stop, [&]() EILBOTE_REQUIRES(mutex_) { return lines_.size() > 0; });
    work_waits_.wait_for(mutex_, stop, kGatherMax, enough);
  }

  bool has_batch_for(Hand hand) const EILBOTE_REQUIRES(mutex_) {
    return lines_.has_batch_for(hand, limits_.help_from, committing_ > 0);
  }

  void over() {
    bool first_wanted = false;
    {
      const MutexLock lock(mutex_);
      --committing_;
      first_wanted = has_batch_for(Hand::first);
    }
    if (first_wanted) work_waits_.notify_one();
  }

  // Twins by (client, key) inside a batch: the database sees the first one only.
  static Followers set_twins_aside(std::vector<WaitingJob>& batch) {
    Followers followers;
    std::map<std::pair<std::string, std::string>, JobId> first;
    std::vector<WaitingJob> kept;
    kept.reserve(batch.size());
    for (WaitingJob& waiting : batch) {
      if (waiting.job->idempotency_key.empty()) {
        kept.push_back(std::move(waiting));
        continue;
      }
      const auto [it, is_first] =
          first.try_emplace({waiting.job->client.value(), waiting.job->idempotency_key}, waiting.job->id);
      if (is_first)
        kept.push_back(std::move(waiting));
      else
        followers[it->second].push_back(std::move(waiting));
    }
    batch = std::move(kept);
    return followers;
  }

  // Commits these jobs and answers each. Tries again while the store is away, as long as somebody still waits
  // for it.
  void commit(std::span<WaitingJob> jobs, AcceptRun run, Followers& followers, const Pauses& pauses) {
    Duration pause = std::chrono::milliseconds{20};
    while (!jobs.empty()) {
      std::vector<NewJob> rows;
      rows.reserve(jobs.size());
      for (WaitingJob& waiting : jobs)
        rows.push_back(std::move(*waiting.job));
      auto outcomes = outbox_.accept(rows, run);
      for (std::size_t i = 0; i < rows.size(); ++i)
        *jobs[i].job = std::move(rows[i]);
      if (outcomes) return answer_all(jobs, *outcomes, followers);
      if (outcomes.error().kind == ErrorKind::rejected_data)
        return bisect(jobs, run, followers, pauses, outcomes.error());
      log::warning("the database did not take new jobs, trying again", {{"error", outcomes.error().message}});
      run = AcceptRun::again;
      jobs = drop_overdue(jobs, followers, pauses.is_over());
      if (!jobs.empty()) pauses.wait(pause);
      pause = std::min<Duration>(pause * 2, std::chrono::milliseconds{500});
    }
  }

  // The database refused some row: halves until the bad one stands alone.
  void bisect(std::span<WaitingJob> jobs, AcceptRun run, Followers& followers, const Pauses& pauses,
              const Error& error) {
    if (jobs.size() > 1) {
      commit(jobs.first(jobs.size() / 2), run, followers, pauses);
      commit(jobs.subspan(jobs.size() / 2), run, followers, pauses);
      return;
    }
    metrics_.add(Metric::intake_rejected);
    const NewJob& refused = *jobs[0].job;
    log::error("the database refused a new job; it was not accepted",
               {{id_field(refused.channel), to_text(refused.id)},
                {"error", error.message},
                {"traceId", refused.trace_id}});
    finish(jobs[0], {Kind::rejected, refused.id}, followers);
  }

  void answer_all(std::span<WaitingJob> jobs, const std::vector<AcceptOutcome>& outcomes,
                  Followers& followers) {
    std::vector<LaneId> lanes;
    std::size_t mails = 0, webhooks = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const AcceptOutcome& outcome = outcomes[i];
      if (outcome.kind != AcceptKind::accepted) continue;
      ++(jobs[i].job->channel == ChannelKind::mail ? mails : webhooks);
      if (std::find(lanes.begin(), lanes.end(), outcome.lane) == lanes.end()) lanes.push_back(outcome.lane);
    }
    metrics_.add(Metric::intake_commits);
    if (mails > 0) metrics_.add(Metric::messages_accepted, static_cast<double>(mails));
    if (webhooks > 0) metrics_.add(Metric::webhooks_accepted, static_cast<double>(webhooks));
    if (!lanes.empty()) on_accepted_(lanes);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Kind kind = outcomes[i].kind == AcceptKind::accepted   ? Kind::accepted
                        : outcomes[i].kind == AcceptKind::replayed ? Kind::replayed
                                                                   : Kind::conflict;
      finish(jobs[i], {kind, outcomes[i].id}, followers);
    }
  }

  // Answers a job and its twins. A twin of a job that was not decided goes back to the line.
  void finish(WaitingJob& done, const IntakeAnswer& answer, Followers& followers) {
    if (answer.kind == Kind::replayed) metrics_.add(Metric::idempotent_replays);
    if (answer.kind == Kind::conflict) metrics_.add(Metric::idempotency_conflicts);
    const auto twins = followers.find(done.job->id);
    if (twins != followers.end()) {
      const bool known = answer.kind == Kind::accepted || answer.kind == Kind::replayed;
      for (WaitingJob& twin : twins->second) {
        const bool same = twin.job->fingerprint == done.job->fingerprint;
        if (known || (answer.kind == Kind::conflict && same)) {
          const Kind kind = known && same ? Kind::replayed : Kind::conflict;
          metrics_.add(kind == Kind::replayed ? Metric::idempotent_replays : Metric::idempotency_conflicts);
          twin.answer({kind, answer.id});
        } else {
          const MutexLock lock(mutex_);
          lines_.push_front(std::move(twin));
          work_waits_.notify_one();
        }
      }
      followers.erase(twins);
    }
    done.answer(answer);
    done.reservation.reset();
  }

  // Answers those whose patience is over (all of them when `all`), and returns those who still wait.
  std::span<WaitingJob> drop_overdue(std::span<WaitingJob> jobs, Followers& followers, bool all) {
    const auto now = clock_.steady_now();
    const auto still = std::stable_partition(
        jobs.begin(), jobs.end(), [&](const WaitingJob& waiting) { return !all && waiting.deadline > now; });
    for (auto it = still; it != jobs.end(); ++it)
      finish(*it, {Kind::unavailable, it->job->id}, followers);
    return jobs.first(static_cast<std::size_t>(still - jobs.begin()));
  }

  void wait_for_store(Duration pause, const std::stop_token& stop) {
    const MutexLock lock(mutex_);
    store_pause_.wait_for(mutex_, stop, pause, [] { return false; });
  }

  Outbox& outbox_;
  const Clock& clock_;
  Metrics& metrics_;
  const IntakeLimits limits_;
  const std::function<void(std::span<const LaneId>)> on_accepted_;
  Mutex mutex_;
  std::condition_variable_any work_waits_;
  std::condition_variable_any enough_waits_;  // for the helpers
  std::condition_variable_any store_pause_;
  IntakeLines lines_ EILBOTE_GUARDED_BY(mutex_);
  std::size_t committing_ EILBOTE_GUARDED_BY(mutex_) = 0;  // hands that do
  bool stopping_ EILBOTE_GUARDED_BY(mutex_) = false;
  Service first_;
  std::vector<std::unique_ptr<Service>> helpers_;
};

}  // namespace

std::unique_ptr<SteppedIntake> make_stepped_intake(Outbox& outbox, const Clock& clock, Metrics& metrics,
                                                   IntakeLimits limits,
                                                   std::function<void(std::span<const LaneId>)> on_accepted) {
  return std::make_unique<GroupCommitIntake>(outbox, clock, metrics, limits, std::move(on_accepted));
}

std::unique_ptr<Intake> make_intake(Outbox& outbox, const Clock& clock, Metrics& metrics, IntakeLimits limits,
                                    std::function<void(std::span<const LaneId>)> on_accepted) {
  return make_stepped_intake(outbox, clock, metrics, limits, std::move(on_accepted));
}

}  // namespace eilbote
