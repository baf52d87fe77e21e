#include "engine/publisher.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/log.h"
#include "base/service.h"
#include "engine/dead_letter_desk.h"
#include "engine/publish_batch.h"
#include "engine/publish_plan.h"
#include "engine/published_watch.h"
#include "engine/publisher_mailbox.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

using Steady = Clock::Steady;

// While one batch is being confirmed, the other is marked and the next one claimed.
constexpr std::size_t kBatchesMax = 2;
constexpr Duration kReleaseEvery = std::chrono::seconds{30};
constexpr Duration kDepthPoll = std::chrono::milliseconds{10};
// While lanes are paused or on trial.
constexpr Duration kPausePoll = std::chrono::seconds{1};
constexpr std::size_t kUnconfirmedMax = 20'000;
// Its tokens are others than those of the ledger, which counts from 0 under the same epoch.
constexpr std::uint32_t kRoundsFrom = 0x8000'0000;

class BrokerPublisher final : public Publisher {
 public:
  BrokerPublisher(Outbox& outbox, PublishBook& book, OutboxCare& care, Transport& transport,
                  const Instance& instance, PoolList& pools, const Clock& clock, Metrics& metrics,
                  PublisherOptions options)
      : outbox_(outbox),
        book_(book),
        transport_(transport),
        instance_(instance),
        pools_(pools),
        clock_(clock),
        metrics_(metrics),
        options_(options),
        look_every_(std::min(options.pending_poll, options.retry_interval)),
        plan_(transport, options_),
        desk_(book, care, transport, instance, metrics,
              [mailbox = mailbox_](std::vector<Carriage> answers) {
                mailbox->post([&](PublisherInbox& in) { in.dead_carried = std::move(answers); });
              }),
        service_("scheduler", [this](const std::stop_token&) { run(); }) {}
  ~BrokerPublisher() override { stop(Duration{0}); }

  void start() override { service_.start(); }

  void stop(Duration grace) override {
    mailbox_->ask_to_stop(clock_.steady_now() + grace);
    service_.stop();
    for (const PublisherInbox::Watch& watch : mailbox_->close().watches)
      watch.done(false);
  }

  void wake(std::span<const LaneId> lanes) override {
    mailbox_->post([&](PublisherInbox& in) { in.woken.insert(lanes.begin(), lanes.end()); });
  }
  void wake_all() override {
    mailbox_->post([](PublisherInbox& in) { in.wake_all = true; });
  }
  void when_published(JobId id, Duration wait, std::function<void(bool)> done) override {
    const Steady deadline = clock_.steady_now() + wait;
    if (!mailbox_->post([&](PublisherInbox& in) { in.watches.push_back({id, deadline, std::move(done)}); }))
      done(false);
  }

 private:
  void run() {
    const Steady begun = clock_.steady_now();
    look_around_at_ = options_.schedules ? begun : Steady::max();
    look_at_rules_at_ = begun;
    release_at_ = begun + kReleaseEvery;
    while (true) {
      absorb(mailbox_->take());
      watch_.expire(clock_.steady_now());
      if (const auto by = mailbox_->stop_by(); by && wind_down(*by)) return;
      const Steady now = clock_.steady_now();
      if (!winding_down_) {
        look_at_rules(now);
        look_around(now);
        release(now);
        if (options_.schedules) desk_.look(now);
      }
      if (!round(now)) wait();
    }
  }

  // Until something arrives, something becomes due, or a pause is over.
  void wait() {
    const Steady now = clock_.steady_now();
    Steady until = winding_down_ ? Steady::max() : next_work(now);
    const auto earlier = [&](std::optional<Steady> at) {
      if (at && *at < until) until = *at;
    };
    if (not_before_ > now) until = answered_.empty() ? std::max(until, not_before_) : not_before_;
    if (options_.schedules && !winding_down_) earlier(desk_.next_look());
    earlier(watch_.next_deadline());
    mailbox_->wait(until, winding_down_);
  }

  Steady next_work(Steady now) const {
    Steady at = std::min({look_around_at_, look_at_rules_at_, release_at_});
    if (const auto change = plan_.next_change(now)) at = std::min(at, *change);
    if (may_claim() && plan_.is_held_by_depth(now)) at = std::min(at, now + kDepthPoll);
    return at;
  }

  void absorb(PublisherInbox in) {
    for (const LaneId lane : in.woken)
      wake_lane(lane);
    if (in.wake_all && options_.schedules) look_around_at_ = Steady{};
    if (in.wake_all && !options_.schedules) plan_.lanes().wake_all();
    for (const PublisherInbox::Carried& carried : in.carried)
      take_answers(carried);
    if (in.dead_carried) desk_.carried(*in.dead_carried, clock_.steady_now());
    for (PublisherInbox::Watch& watch : in.watches)
      watch_.add(watch.id, watch.deadline, std::move(watch.done));
  }

  void wake_lane(LaneId lane) {
    if (!options_.schedules) named_.insert(lane);
    if (plan_.lanes().wake(lane)) look_around_at_ = Steady{};  // a new lane: learn it now
  }

  // ---- knowing what there is ----

  void look_at_rules(Steady now) {
    if (now < look_at_rules_at_ || now < not_before_) return;
    plan_.learn_pools(pools_.pools());
    const auto paused = book_.paused_lanes();
    if (!paused) return trouble(paused.error());
    plan_.pauses().learn(*paused, now);
    look_at_rules_at_ = now + (plan_.pauses().empty() ? look_every_ : std::min(look_every_, kPausePoll));
  }

  void look_around(Steady now) {
    if (now < look_around_at_ || now < not_before_) return;
    plan_.learn_pools(pools_.pools());
    auto active = outbox_.active_lanes();
    if (!active) return trouble(active.error());
    look_around_at_ = options_.schedules ? now + look_every_ : Steady::max();
    if (!options_.schedules) keep_named(*active);
    plan_.learn(*active, clock_.steady_now());  // not before: see LaneBook
  }

  // One that does not schedule has to do with the lanes it was woken for, as long as something waits there.
  void keep_named(ActiveLanes& active) {
    std::erase_if(active.lanes, [this](const ActiveLane& lane) { return !named_.contains(lane.lane); });
    named_.clear();
    for (const ActiveLane& lane : active.lanes)
      named_.insert(lane.lane);
  }

  // Rows that this epoch is publishing and does not hold: claims whose answer was lost on the way.
  void release(Steady now) {
    if (now < release_at_ || now < not_before_) return;
    const auto freed = book_.release_unheld(instance_.epoch(), held());
    if (!freed) return trouble(freed.error());
    release_at_ = now + kReleaseEvery;
    if (*freed == 0) return;
    log::warning("jobs that nobody published are back in line: the answer to their claim had been lost",
                 {{"count", *freed}});
    metrics_.add(Metric::leases_freed, *freed);
    look_around_at_ = Steady{};
  }

  std::vector<JobId> held() const {
    std::vector<JobId> ids;
    for (const auto& [number, claims] : at_broker_)
      for (const PublishClaim& claim : claims)
        ids.push_back(claim.id);
    for (const AnsweredClaim& answered : answered_)
      ids.push_back(answered.claim.id);
    std::ranges::sort(ids);
    return ids;
  }

  void trouble(const Error& error) {
    log::warning("the database is in trouble: publishing waits, trying again", {{"error", error.message}});
    if (error.kind == ErrorKind::ambiguous) release_at_ = Steady{};
    pause_ = std::clamp<Duration>(pause_ * 2, std::chrono::milliseconds{20}, std::chrono::seconds{1});
    not_before_ = clock_.steady_now() + pause_;
  }

  // ---- one round: mark and claim in one transaction ----

  bool may_claim() const {
    return !winding_down_ && at_broker_.size() < kBatchesMax && instance_.trusted() &&
           transport_.state().connected;
  }

  // False when there was nothing to do.
  bool round(Steady now) {
    if (now < not_before_) return false;
    PublishRequest request;
    if (may_claim()) request.lanes = plan_.plan(now);
    if (request.lanes.empty() && answered_.empty()) return false;
    for (const AnsweredClaim& answered : answered_)
      request.marks.push_back(answered.mark());
    request.token = make_lease_token(instance_.epoch(), ++round_);
    auto result = book_.publish_round(request);
    if (!result) {
      trouble(result.error());
      return false;
    }
    pause_ = Duration{0};
    not_before_ = Steady{};
    // Before the wake-ups: what they are for may have come too late for this claim.
    plan_.claimed(request.lanes, result->claimed);
    marked();
    publish(std::move(result->claimed));
    return true;
  }

  void marked() {
    const Steady now = clock_.steady_now();
    const TimePoint wall_now = clock_.now();
    for (const AnsweredClaim& answered : std::exchange(answered_, {})) {
      const PublishClaim& claim = answered.claim;
      report_marked(answered, wall_now, metrics_);
      if (answered.carriage == Carriage::confirmed) {
        watch_.published(claim.id);
      } else if (answered.delay > Duration{0}) {
        plan_.lanes().note_due(claim.lane, now + answered.delay);
      } else {
        // It keeps its old due time: the lane is to be looked at from there.
        wake_lane(claim.lane);
        look_around_at_ = Steady{};
      }
    }
  }

  void publish(std::vector<PublishClaim> claims) {
    if (claims.empty()) return;
    for (const PublishClaim& claim : claims)
      if (was_published(claim))
        metrics_.add(Metric::broker_republished, 1,
                     {std::string(kCarrierQueueNames.text(queue_of(claim, options_.retries_apart)))});
    std::vector<Parcel> parcels = parcels_of(claims, options_.retries_apart);
    const std::uint64_t number = ++batch_;
    at_broker_[number] = std::move(claims);
    transport_.publish(std::move(parcels), [mailbox = mailbox_, number](std::vector<Carriage> answers) {
      mailbox->post([&](PublisherInbox& in) { in.carried.push_back({number, std::move(answers)}); });
    });
  }

  // The database does not know of a confirm that was lost; this process remembers.
  bool was_published(const PublishClaim& claim) {
    const auto lost = unconfirmed_.find(claim.id);
    const bool mine = lost != unconfirmed_.end() && lost->second == claim.attempt;
    if (lost != unconfirmed_.end()) unconfirmed_.erase(lost);
    return mine || claim.published_before;
  }

  // ---- what became of it ----

  void take_answers(const PublisherInbox::Carried& carried) {
    const auto batch = at_broker_.find(carried.batch);
    if (batch == at_broker_.end()) return;
    std::vector<PublishClaim> claims = std::move(batch->second);
    at_broker_.erase(batch);
    std::map<CarrierQueue, CarriedCount> counts;
    const std::size_t first = answered_.size();
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const Carriage carriage = i < carried.answers.size() ? carried.answers[i] : Carriage::unknown;
      const CarrierQueue queue = queue_of(claims[i], options_.retries_apart);
      counts[queue].add(carriage);
      if (carriage == Carriage::unknown) note_unconfirmed(claims[i]);
      answered_.push_back({std::move(claims[i]), queue, carriage, Duration{0}});
    }
    const Steady now = clock_.steady_now();
    std::map<CarrierQueue, Duration> delays;
    for (const auto& [queue, count] : counts)
      delays[queue] = plan_.carried(queue, count, now);
    for (AnsweredClaim& answered : std::span(answered_).subspan(first))
      if (answered.carriage == Carriage::refused) answered.delay = delays[answered.queue];
  }

  void note_unconfirmed(const PublishClaim& claim) {
    if (unconfirmed_.size() >= kUnconfirmedMax) unconfirmed_.clear();  // only a count is lost
    unconfirmed_[claim.id] = claim.attempt;
  }

  // Marks what is answered and waits for the rest; true when nothing is left or time is up.
  bool wind_down(Steady by) {
    winding_down_ = true;
    const bool done = at_broker_.empty() && answered_.empty() && !desk_.is_waiting();
    if (!done && clock_.steady_now() < by) return false;
    if (!done) give_up();
    watch_.end();
    return true;
  }

  // What is not confirmed is queued again: a worker that gets its message all the same finds it not published, and passes over
  // it.
  void give_up() {
    while (!at_broker_.empty())
      take_answers({at_broker_.begin()->first, {}});
    not_before_ = Steady{};
    if (answered_.empty() || round(clock_.steady_now())) return;
    log::warning("stopping with jobs being published; they are free with this instance's end",
                 {{"count", answered_.size()}});
  }

  Outbox& outbox_;
  PublishBook& book_;
  Transport& transport_;
  const Instance& instance_;
  PoolList& pools_;
  const Clock& clock_;
  Metrics& metrics_;
  const PublisherOptions options_;
  const Duration look_every_;

  const std::shared_ptr<PublisherMailbox> mailbox_ = std::make_shared<PublisherMailbox>();

  // The thread's own.
  PublishPlan plan_;
  DeadLetterDesk desk_;
  PublishedWatch watch_;
  std::set<LaneId> named_;  // when it does not schedule: lanes it was woken for
  std::map<std::uint64_t, std::vector<PublishClaim>> at_broker_;  // by batch
  std::vector<AnsweredClaim> answered_;                           // not marked
  std::map<JobId, int> unconfirmed_;                              // attempts whose confirm was lost
  std::uint64_t batch_ = 0;
  std::uint32_t round_ = kRoundsFrom;
  bool winding_down_ = false;
  Steady look_around_at_{}, look_at_rules_at_{}, release_at_{}, not_before_{};
  Duration pause_{0};
  Service service_;
};

}  // namespace

std::unique_ptr<Publisher> make_publisher(Outbox& outbox, PublishBook& book, OutboxCare& care,
                                          Transport& transport, const Instance& instance, PoolList& pools,
                                          const Clock& clock, Metrics& metrics, PublisherOptions options) {
  return std::make_unique<BrokerPublisher>(outbox, book, care, transport, instance, pools, clock, metrics,
                                           options);
}

}  // namespace eilbote
