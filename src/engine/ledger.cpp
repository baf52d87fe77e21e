#include "engine/ledger.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "base/log.h"
#include "base/service.h"
#include "engine/departures.h"
#include "engine/held_leases.h"
#include "engine/lane_book.h"
#include "engine/ledger_inbox.h"
#include "engine/outcome_report.h"
#include "engine/pool_gate.h"
#include "engine/settle_desk.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

using Steady = Clock::Steady;

constexpr Duration kLookAroundEvery = std::chrono::seconds{1};
constexpr Duration kReconcileEvery = std::chrono::seconds{30};
constexpr std::size_t kSettlementsMax = 500;
// A transaction that is under way when the grace ends is waited for: its jobs are delivered, and must not go out again.
constexpr Duration kSettleGrace = std::chrono::seconds{3};
// So many outcomes are worth a transaction of their own; fewer go along with the next claim.
constexpr std::size_t kSettleAsideFrom = 48;

Lease lease_of(const Finished& finished) {
  return {finished.settlement.id, finished.settlement.token};
}

class RoundLedger final : public Ledger {
 public:
  RoundLedger(Outbox& outbox, OutboxCare& care, MailChannel& mail, const Instance& instance,
              const Clock& clock, Random& random, Metrics& metrics, LedgerOptions options)
      : outbox_(outbox),
        care_(care),
        instance_(instance),
        clock_(clock),
        metrics_(metrics),
        options_(std::move(options)),
        courier_(mail, options_.webhooks, instance, clock, random, metrics, options_.courier,
                 [this](Finished finished) {
                   departures_.finished(lease_of(finished));
                   post([&](LedgerInbox& in) { in.finished.push_back(std::move(finished)); });
                 }),
        departures_(outbox, courier_, options_.routes.requests_per_host_max,
                    {[this](const Error& error) { post([&](LedgerInbox& in) { in.not_loaded = error; }); },
                     [this] { post([](LedgerInbox& in) { in.eased = true; }); }}),
        desk_(outbox),
        gate_(options_.pools, clock.steady_now()),
        routes_(courier_.mail_route(), options_.routes, metrics),
        aside_(desk_,
               [this](SideDesk::Settled settled) {
                 post([&](LedgerInbox& in) { in.settled = std::move(settled); });
               }),
        service_("ledger", [this](const std::stop_token&) { run(); }) {}
  ~RoundLedger() override { stop(Duration{0}); }

  void start() override { service_.start(); }

  void stop(Duration grace) override {
    {
      const std::lock_guard lock(mutex_);
      if (!stop_by_) stop_by_ = clock_.steady_now() + grace;
    }
    wake_.notify_one();
    service_.stop();
  }

  void wake(std::span<const LaneId> lanes) override {
    post([&](LedgerInbox& in) { in.woken.insert(in.woken.end(), lanes.begin(), lanes.end()); });
  }
  void wake_all() override {
    post([](LedgerInbox& in) { in.wake_all = true; });
  }
  void dispatch(DispatchOrder order, DispatchOrders::Done done) override {
    post([&](LedgerInbox& in) { in.orders.emplace_back(order, std::move(done)); });
  }
  std::vector<BreakerView> breakers() const override { return routes_.views(); }
  std::optional<std::string> held_back(const Job& job) const override {
    if (auto trouble = routes_.trouble(job)) return trouble;
    const std::lock_guard lock(mutex_);
    if (const auto pool = pool_notes_.find(job.pool); pool != pool_notes_.end()) return pool->second;
    if (job.channel == ChannelKind::webhook || options_.continuous) return std::nullopt;
    return "mails go out when POST /internal/dispatch asks for them (EILBOTE_DISPATCH=triggered)";
  }
  bool holds(const Lease& lease) const override { return held_.contains(lease); }
  std::vector<JobId> held_webhooks() const override { return held_.jobs(ChannelKind::webhook); }
  bool reset_breaker(const std::string& route) override {
    const auto views = routes_.views();
    if (std::ranges::none_of(views, [&](const BreakerView& view) { return view.route == route; }))
      return false;
    post([&](LedgerInbox& in) { in.resets.push_back(route); });
    return true;
  }

 private:
  template <class Leave>
  void post(Leave leave) {
    {
      const std::lock_guard lock(mutex_);
      leave(inbox_);
    }
    wake_.notify_one();
  }

  void run() {
    look_around_at_ = reconcile_at_ = clock_.steady_now();
    reconcile_at_ += kReconcileEvery;
    while (true) {
      absorb(take_inbox());
      if (const auto by = stop_by(); by && wind_down(*by)) return;
      const Steady now = clock_.steady_now();
      look_around(now);
      reconcile(now);
      probe(now);
      const bool did = round(now);
      depart();
      orders_.answer(clock_.steady_now(), false);
      if (!did) wait();
    }
  }

  std::optional<Steady> stop_by() const {
    const std::lock_guard lock(mutex_);
    return stop_by_;
  }

  LedgerInbox take_inbox() {
    const std::lock_guard lock(mutex_);
    return std::exchange(inbox_, LedgerInbox{});
  }

  // Until something arrives, something becomes due, or a pause is over.
  void wait() {
    const Steady now = clock_.steady_now();
    Steady until = std::min(look_around_at_, reconcile_at_);
    const auto earlier = [&](std::optional<Steady> at) {
      if (at && *at < until) until = *at;
    };
    earlier(book_.next_due(now));
    earlier(gate_.next_token(now));
    earlier(orders_.next_deadline());
    earlier(routes_.next_probe(now));
    if (not_before_ > now)
      until = pending_.empty() && departures_.waiting() == 0 ? std::max(until, not_before_) : not_before_;
    std::unique_lock lock(mutex_);
    if (stop_by_) until = std::min(until, now + std::chrono::milliseconds{50});
    wake_.wait_until(lock, until, [this] { return !inbox_.empty() || (stop_by_ && !winding_down_); });
  }

  void absorb(LedgerInbox in) {
    for (const LaneId lane : in.woken)
      if (book_.wake(lane)) look_around_at_ = Steady{};  // a new lane: learn it now
    if (in.wake_all) look_around_at_ = Steady{};
    for (auto& [order, done] : in.orders) {
      orders_.add(order, std::move(done), clock_.steady_now());
      look_around_at_ = Steady{};
    }
    if (in.settled) settled_aside(std::move(*in.settled));
    if (in.not_loaded) trouble(*in.not_loaded);
    for (Finished& finished : in.finished) {
      watch_route(finished);
      pending_.push_back(std::move(finished));
    }
    if (in.probed && routes_.on_mail_probe(*in.probed, clock_.steady_now()) == RouteWatch::Change::up)
      book_.wake_all();
    for (const std::string& route : in.resets)
      routes_.reset(route);
    if (!in.resets.empty()) book_.wake_all();
  }

  // ---- the routes ----

  void watch_route(const Finished& finished) {
    switch (routes_.finished(finished, clock_.steady_now())) {
      case RouteWatch::Change::none:
        return;
      case RouteWatch::Change::up:
        return book_.wake_all();
      case RouteWatch::Change::host_down:
        return hand_back([host = finished.after.route](const Job& job) {
          return job.channel == ChannelKind::webhook && job.route == host;
        });
      case RouteWatch::Change::mail_down:
        hand_back([](const Job& job) { return job.channel == ChannelKind::mail; });
        courier_.release_waiting_mails();  // last: nothing more comes to them
    }
  }

  void hand_back(const std::function<bool(const Job&)>& which) {
    for (Finished& back : departures_.hand_back(which)) {
      watch_route(back);
      pending_.push_back(std::move(back));
    }
  }

  void probe(Steady now) {
    if (!routes_.take_mail_probe(now)) return;
    courier_.probe_mail(
        [this](Result<void> result) { post([&](LedgerInbox& in) { in.probed = std::move(result); }); });
  }

  // ---- knowing what there is ----

  void look_around(Steady now) {
    if (now < look_around_at_ || now < not_before_) return;
    look_around_at_ = now + kLookAroundEvery;
    routes_.tidy(now);
    if (options_.pool_list != nullptr) pools_ = options_.pool_list->pools();
    gate_.learn(pools_, now);
    gate_.set_homes(instance_.home_pools(), now);
    hand_back_suspended();
    note_pools(now);
    for (const Pool& pool : pools_)
      metrics_.set(Metric::in_flight, gate_.open(pool.code), {pool.code});
    const auto active = outbox_.active_lanes();
    if (!active) return trouble(active.error());
    book_.learn(*active, now);
  }

  void hand_back_suspended() {
    std::set<std::string> suspended;
    for (const Pool& pool : pools_)
      if (pool.status == PoolStatus::SUSPENDED) suspended.insert(pool.code);
    if (suspended.empty()) return;
    hand_back([suspended = std::move(suspended)](const Job& job) { return suspended.contains(job.pool); });
  }

  void note_pools(Steady now) {
    std::map<std::string, std::string> notes;
    for (const Pool& pool : pools_)
      if (auto held = gate_.describe(pool.code, now)) notes[pool.code] = std::move(*held);
    const std::lock_guard lock(mutex_);
    pool_notes_ = std::move(notes);
  }

  // Rows leased to this epoch that it does not hold: claims whose answer was lost on the way.
  void reconcile(Steady now) {
    if (now < reconcile_at_ || now < not_before_) return;
    reconcile_at_ = now + kReconcileEvery;
    const auto freed = care_.reconcile(instance_.epoch(), held_.jobs());
    if (!freed) return trouble(freed.error());
    if (*freed > 0) {
      log::warning("jobs that nobody worked on are back in line: the answer to their claim had been lost",
                   {{"count", *freed}});
      metrics_.add(Metric::leases_freed, *freed);
      look_around_at_ = Steady{};
    }
  }

  void trouble(const Error& error) {
    log::warning("the database is in trouble: deliveries wait, trying again", {{"error", error.message}});
    if (error.kind == ErrorKind::ambiguous) reconcile_at_ = Steady{};
    pause_ = std::clamp<Duration>(pause_ * 2, std::chrono::milliseconds{20}, std::chrono::seconds{1});
    not_before_ = clock_.steady_now() + pause_;
  }

  // ---- one round: settle and claim in one transaction ----

  bool may_claim(Steady now) {
    if (winding_down_ || !instance_.trusted()) return false;
    if (departures_.is_full()) return false;  // first start what is claimed
    // Outcomes that cannot be settled pile up; more claims would only make more of them.
    const auto fresh = [&](Steady at) { return now - at < options_.lease / 3; };
    return (!aside_since_ || fresh(*aside_since_)) && (pending_.empty() || fresh(pending_.front().at));
  }

  // What has spent a pool's rate begins before more of it is spent: after a pause they would all begin at once.
  int room_of(const std::string& pool, Steady now) {
    if (!gate_.has_rate(pool) || !departures_.has_waiting(pool)) return gate_.room(pool, now);
    gate_.hold(pool, now);
    return 0;
  }

  // An order has a say about mails only: webhooks go on.
  std::vector<ClaimLane> plan(Steady now, DispatchOrders::Open* order) {
    const bool mail_flows = options_.continuous || (order != nullptr && !order->order.only);
    LaneBook::Room room;
    room.of_pool = [&](const std::string& pool) { return room_of(pool, now); };
    room.of_route = [&](ChannelKind channel, const std::string& route) {
      const bool flows = channel == ChannelKind::mail ? mail_flows : courier_.takes_webhooks();
      return flows && !departures_.is_full(channel, route) ? routes_.room(channel, route, now) : RouteRoom{};
    };
    room.begins_at_once = [&](const std::string& pool) { return gate_.has_rate(pool); };
    std::vector<ClaimLane> lanes = book_.plan(room, now);
    if (order != nullptr && !order->order.only)
      order->limit(lanes, [this](LaneId lane) { return book_.channel_of(lane); });
    return lanes;
  }

  bool asks_for_mail(const std::vector<ClaimLane>& lanes) const {
    return std::ranges::any_of(
        lanes, [&](const ClaimLane& ask) { return book_.channel_of(ask.lane) == ChannelKind::mail; });
  }

  // False when there was nothing to do.
  bool round(Steady now) {
    if (now < not_before_) return false;
    const bool claims = may_claim(now);
    DispatchOrders::Open* order = claims ? orders_.claiming() : nullptr;
    ExchangeRequest request;
    if (claims) request.lanes = plan(now, order);
    bool for_order = false;
    if (order != nullptr && order->order.only) {
      for_order = has_room_for(*order->order.only, now);
      if (for_order) request.claim_one = order->order.only;
    } else if (order != nullptr) {
      for_order = asks_for_mail(request.lanes);
      if (!for_order && routes_.mail_flows() && !room_is_short(now)) orders_.no_more(*order);
    }
    settle_aside();
    const std::size_t settling = aside_since_ ? 0 : std::min(pending_.size(), kSettlementsMax);
    if (settling == 0 && request.lanes.empty() && !request.claim_one) return false;
    // A round that asks for nothing it wants says nothing about what there is for the order.
    return exchange(std::move(request), settling, for_order ? order : nullptr);
  }

  // Whether a full pool has ready lanes: an order waits for it rather than end with less than it asked for.
  bool room_is_short(Steady now) {
    return std::ranges::any_of(pools_, [&](const Pool& pool) {
      return book_.any_ready(ChannelKind::mail, pool.code) &&
             (room_of(pool.code, now) == 0 || departures_.is_full(ChannelKind::mail, ""));
    });
  }

  bool has_room_for(JobId id, Steady now) {
    const auto record = outbox_.find(id, std::nullopt);
    if (!record || !*record) return true;  // unknown: let the claim say so
    return room_of((*record)->job.pool, now) > 0;
  }

  // The claims, and the first `settling` outcomes.
  bool exchange(ExchangeRequest request, std::size_t settling, DispatchOrders::Open* order) {
    request.token = make_lease_token(instance_.epoch(), ++round_);
    const std::vector<ClaimLane> asked = request.lanes;
    const auto result = desk_.exchange(request, std::span(pending_).first(settling));
    if (!result) {
      trouble(result.error());
      return false;
    }
    pause_ = Duration{0};
    not_before_ = Steady{};
    // Before the wake-ups: what they are for may have come too late for this claim.
    book_.claimed(asked, result->claimed);
    if (settling > 0) aside_failed_ = false;
    settled(std::span(pending_).first(settling), *result);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<long>(settling));
    take(result->claimed, order);
    return true;
  }

  // Many outcomes are settled beside the claims. What comes of it is told between two rounds, so a wake-up of it never
  // meets the answer of a claim that began before.
  void settle_aside() {
    if (aside_since_ || aside_failed_ || pending_.size() < kSettleAsideFrom) return;
    const auto end = pending_.begin() + static_cast<long>(std::min(pending_.size(), kSettlementsMax));
    aside_since_ = pending_.front().at;
    aside_.begin({std::make_move_iterator(pending_.begin()), std::make_move_iterator(end)});
    pending_.erase(pending_.begin(), end);
  }

  void settled_aside(SideDesk::Settled aside) {
    aside_since_.reset();
    if (aside.result) return settled(aside.finished, *aside.result);
    trouble(aside.result.error());
    aside_failed_ = true;  // once more together with a claim, so that the pause grows for both
    pending_.insert(pending_.begin(), std::make_move_iterator(aside.finished.begin()),
                    std::make_move_iterator(aside.finished.end()));
  }

  void settled(std::span<const Finished> finished, const ExchangeResult& result) {
    std::vector<Lease> leases;
    for (std::size_t i = 0; i < finished.size(); ++i) {
      settled(finished[i], result.settled[i]);
      leases.push_back(lease_of(finished[i]));
    }
    courier_.settled(leases);
    for (const LaneId lane : result.woken)
      if (book_.wake(lane)) look_around_at_ = Steady{};
  }

  void settled(const Finished& finished, SettleOutcome outcome) {
    held_.remove(lease_of(finished));
    gate_.finished(finished.pool);
    if (outcome == SettleOutcome::stale) {
      report_stale(finished, metrics_);
    } else {
      report_settled(finished, metrics_);
      if (finished.settlement.decision.delay)
        book_.note_due(finished.lane, clock_.steady_now() + *finished.settlement.decision.delay);
      else if (finished.verdict == Verdict::released)
        book_.wake(finished.lane);
    }
    orders_.settled(finished.after, finished.settlement.token);
  }

  void take(const std::vector<ClaimedJob>& claimed, DispatchOrders::Open* order) {
    bool any_for_order = false;
    for (const ClaimedJob& job : claimed) {
      held_.add({job.job.id, job.token}, job.job.channel);
      gate_.started(job.job.pool, 1);
      if (gate_.has_rate(job.job.pool)) gate_.hold(job.job.pool, clock_.steady_now());
      const bool probe = routes_.started(job.job, clock_.steady_now());
      if (order != nullptr && order->wants(job.job)) {
        orders_.claimed(*order, job.job, job.token);
        any_for_order = true;
      }
      departures_.add(job, probe);
    }
    if (order == nullptr || any_for_order) return;
    if (order->order.only)
      orders_.refuse(*order);
    else
      orders_.no_more(*order);
  }

  // ---- starting what was claimed ----

  void depart() {
    if (clock_.steady_now() >= not_before_) departures_.go();
  }

  // Hands back what has not begun and settles what is finished; true when nothing is left or time is up.
  bool wind_down(Steady by) {
    if (!winding_down_) {
      winding_down_ = true;
      departures_.close();
      courier_.release_waiting();
    }
    hand_back([](const Job&) { return true; });
    const Steady now = clock_.steady_now();
    const bool late = now >= by;
    if (aside_since_ && now < by + kSettleGrace) return false;  // it may be committed any moment
    if (!pending_.empty() && !late) return false;
    if (held_.size() > 0 && !late) return false;
    if (held_.size() > 0)
      log::warning("stopping with deliveries under way; the next start or another instance takes them up",
                   {{"count", held_.size()}, {"jobs", held_.names()}});
    orders_.answer(clock_.steady_now(), true);
    return true;
  }

  Outbox& outbox_;
  OutboxCare& care_;
  const Instance& instance_;
  const Clock& clock_;
  Metrics& metrics_;
  const LedgerOptions options_;

  // Shared with other threads.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  LedgerInbox inbox_;
  std::optional<Steady> stop_by_;
  std::map<std::string, std::string> pool_notes_;  // what holds a pool back, in words
  HeldLeases held_;

  // The ledger thread's own.
  Courier courier_;
  Departures departures_;
  SettleDesk desk_;
  LaneBook book_;
  std::vector<Pool> pools_ = options_.pools;
  PoolGate gate_;
  RouteWatch routes_;
  DispatchOrders orders_;
  std::vector<Finished> pending_;  // finished, not settled
  bool aside_failed_ = false;
  std::optional<Steady> aside_since_;  // while some are settled aside: since when the first of them waits
  std::uint32_t round_ = 0;
  bool winding_down_ = false;
  Steady look_around_at_{}, reconcile_at_{}, not_before_{};
  Duration pause_{0};
  SideDesk aside_;
  Service service_;
};

}  // namespace

std::unique_ptr<Ledger> make_ledger(Outbox& outbox, OutboxCare& care, MailChannel& mail,
                                    const Instance& instance, const Clock& clock, Random& random,
                                    Metrics& metrics, LedgerOptions options) {
  return std::make_unique<RoundLedger>(outbox, care, mail, instance, clock, random, metrics,
                                       std::move(options));
}

}  // namespace eilbote
