#include "engine/ledger.h"

#include <algorithm>
#include <condition_variable>
#include <set>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service.h"
#include "engine/claim_plan.h"
#include "engine/departures.h"
#include "engine/held_leases.h"
#include "engine/lane_book.h"
#include "engine/ledger_inbox.h"
#include "engine/offer_desk.h"
#include "engine/outcome_line.h"
#include "engine/outcome_report.h"
#include "engine/pool_gate.h"
#include "engine/pool_notes.h"
#include "engine/settle_desk.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

using Steady = Clock::Steady;

constexpr Duration kLookAroundEvery = std::chrono::seconds{1};
// With a broker a lane may be empty again before it is seen: not a look-around for every job.
constexpr Duration kLookAgainAfter = std::chrono::milliseconds{100};
constexpr Duration kReconcileEvery = std::chrono::seconds{30};
// A transaction that is under way when the grace ends is waited for: its jobs are delivered, and must not go out again.
constexpr Duration kSettleGrace = std::chrono::seconds{3};

Lease lease_of(const Finished& finished) {
  return {finished.settlement.id, finished.settlement.token};
}

class RoundLedger final : public SteppedLedger {
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
                 [this](FinishedPtr finished) {
                   departures_.finished(lease_of(*finished));
                   post([&](LedgerInbox& in) { in.finished.push_back(std::move(finished)); });
                 }),
        departures_(outbox, courier_, options_.routes.requests_per_host_max,
                    {[this](const Error& error) { post([&](LedgerInbox& in) { in.not_loaded = error; }); },
                     [this] { post([](LedgerInbox& in) { in.eased = true; }); }}),
        desk_(outbox),
        gate_(options_.pools, clock.steady_now()),
        routes_(courier_.mail_route(), options_.routes, metrics),
        offers_({options_.acknowledge, options_.pause_lanes}, metrics),
        plan_({outbox, pools_, book_, gate_, routes_, departures_, orders_, offers_.book()},
              {options_.continuous, options_.by_broker, courier_.takes_webhooks()}),
        outcomes_(desk_,
                  [this](SideDesk::Settled settled) {
                    post([&](LedgerInbox& in) { in.settled = std::move(settled); });
                  }),
        service_("ledger", [this](const std::stop_token&) { run(); }) {}
  ~RoundLedger() override { stop(Duration{0}); }

  void start() override {
    departures_.start();
    service_.start();
  }

  void stop(Duration grace) override {
    {
      const MutexLock lock(mutex_);
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
  void offer(std::vector<Offer> offers) override {
    post([&](LedgerInbox& in) { in.offers.insert(in.offers.end(), offers.begin(), offers.end()); });
  }
  void dispatch(DispatchOrder order, DispatchOrders::Done done) override {
    post([&](LedgerInbox& in) { in.orders.emplace_back(order, std::move(done)); });
  }
  std::vector<BreakerView> breakers() const override { return routes_.views(); }
  std::optional<std::string> held_back(const Job& job) const override {
    if (auto trouble = routes_.trouble(job)) return trouble;
    if (auto held = pool_notes_.held(job.pool)) return held;
    if (job.status == JobStatus::published) return "it lies in the broker until a worker takes it";
    if (job.channel == ChannelKind::mail && !options_.continuous)
      return "mails go out when POST /internal/dispatch asks for them (EILBOTE_DISPATCH=triggered)";
    if (!options_.by_broker || pool_notes_.is_limited(job.pool)) return std::nullopt;
    return "it waits to be published: the scheduler puts it into the broker as soon as the broker takes it";
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

  Step step() override {
    absorb(take_inbox());
    if (const auto by = stop_by(); by && wind_down(*by)) return Step::over;
    const Steady now = clock_.steady_now();
    look_around(now);
    reconcile(now);
    probe(now);
    const bool did = round(now);
    depart();
    orders_.answer(clock_.steady_now(), false);
    return did ? Step::did : Step::idle;
  }
  bool step_departures() override { return departures_.step(); }
  Steady rests_until() override {
    {
      const MutexLock lock(mutex_);
      if (is_called()) return clock_.steady_now();
    }
    return next_look();
  }

 private:
  template <class Leave>
  void post(Leave leave) {
    bool is_first = false;
    {
      const MutexLock lock(mutex_);
      is_first = inbox_.empty();
      leave(inbox_);
    }
    if (is_first) wake_.notify_one();  // else somebody has, and the thread has not looked yet
  }

  void run() {
    for (Step last = step(); last != Step::over; last = step())
      if (last == Step::idle) wait();
  }

  std::optional<Steady> stop_by() const {
    const MutexLock lock(mutex_);
    return stop_by_;
  }

  LedgerInbox take_inbox() {
    const MutexLock lock(mutex_);
    return std::exchange(inbox_, LedgerInbox{});
  }

  // Until something arrives, something becomes due, or a pause is over.
  void wait() {
    const Steady until = next_look();
    const MutexLock lock(mutex_);
    wake_.wait_until(mutex_, until, [this]() EILBOTE_REQUIRES(mutex_) { return is_called(); });
  }

  bool is_called() const EILBOTE_REQUIRES(mutex_) { return !inbox_.empty() || (stop_by_ && !winding_down_); }

  Steady next_look() {
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
      until = outcomes_.empty() && departures_.waiting() == 0 && offers_.book().empty()
                  ? std::max(until, not_before_)
                  : not_before_;
    if (stop_by()) until = std::min(until, now + std::chrono::milliseconds{50});
    return until;
  }

  void absorb(LedgerInbox in) {
    wake_lanes(in.woken);
    if (in.wake_all) look_around_soon();
    if (!winding_down_) offers_.add(in.offers);
    for (auto& [order, done] : in.orders) {
      orders_.add(order, std::move(done), clock_.steady_now());
      look_around_at_ = Steady{};
    }
    if (in.settled) settled_aside(std::move(*in.settled));
    if (in.not_loaded) trouble(*in.not_loaded);
    for (FinishedPtr& finished : in.finished) {
      watch_route(*finished);
      outcomes_.add(std::move(finished));
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
    for (FinishedPtr& back : departures_.hand_back(which)) {
      watch_route(*back);
      outcomes_.add(std::move(back));
    }
  }

  void probe(Steady now) {
    if (!routes_.take_mail_probe(now)) return;
    courier_.probe_mail(
        [this](Result<void> result) { post([&](LedgerInbox& in) { in.probed = std::move(result); }); });
  }

  // ---- knowing what there is ----

  void wake_lanes(std::span<const LaneId> lanes) {
    for (const LaneId lane : lanes)
      if (book_.wake(lane)) look_around_soon();  // a new lane: learn it now
  }

  void look_around_soon() {
    look_around_at_ =
        options_.by_broker ? std::min(look_around_at_, looked_around_ + kLookAgainAfter) : Steady{};
  }

  void look_around(Steady now) {
    if (now < look_around_at_ || now < not_before_) return;
    looked_around_ = now;
    look_around_at_ = now + kLookAroundEvery;
    routes_.tidy(now);
    if (options_.pool_list != nullptr) pools_ = options_.pool_list->pools();
    gate_.learn(pools_, now);
    gate_.set_homes(instance_.home_pools(), now);
    hand_back_suspended();
    pool_notes_.learn(pools_, gate_, now);
    for (const Pool& pool : pools_)
      metrics_.set(Metric::in_flight, gate_.open(pool.code), {pool.code});
    const auto active = outbox_.active_lanes();
    if (!active) return trouble(active.error());
    if (options_.by_broker) book_.rest([this](const ActiveLane& lane) { return plan_.travels(lane.pool); });
    book_.learn(*active, clock_.steady_now());  // not before: see LaneBook
  }

  void hand_back_suspended() {
    std::set<std::string> suspended;
    for (const Pool& pool : pools_)
      if (pool.status == PoolStatus::SUSPENDED) suspended.insert(pool.code);
    if (suspended.empty()) return;
    hand_back([suspended = std::move(suspended)](const Job& job) { return suspended.contains(job.pool); });
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
    return outcomes_.is_fresh(now, options_.lease / 3);
  }

  // False when there was nothing to do.
  bool round(Steady now) {
    if (now < not_before_) return false;
    ClaimPlan::Ask ask = may_claim(now) ? plan_.next(now) : ClaimPlan::Ask{};
    // Other instances keep the database busy while this one waits for it: a second transaction of each would only make every
    // batch smaller and every commit wait for more of them.
    if (instance_.is_alone()) outcomes_.settle_aside();
    if (outcomes_.next().empty() && ask.empty()) return false;
    return exchange(std::move(ask));
  }

  // The claims, and the outcomes that are next. A round that settles aside claims meanwhile; what comes of that is told between
  // two rounds, so a wake-up of it never meets the answer of a claim that began before.
  bool exchange(ClaimPlan::Ask ask) {
    ask.request.token = make_lease_token(instance_.epoch(), ++round_);
    const auto settling = outcomes_.next();
    auto result = desk_.exchange(ask.request, settling);
    if (!result || result->settled_only) offers_.book().failed();
    if (!result) {
      trouble(result.error());
      return false;
    }
    pause_ = Duration{0};
    not_before_ = Steady{};
    const std::vector<ClaimedJob> offered = offers_.take_offered(result->claimed, ask.request.claim_one);
    // Before the wake-ups: what they are for may have come too late for this claim.
    book_.claimed(ask.request.lanes, result->claimed);
    settled(settling, *result);
    outcomes_.settled(settling.size());
    take(std::move(result->claimed), ask.order);
    take_offered(offered);
    return true;
  }

  void settled_aside(SideDesk::Settled aside) {
    outcomes_.aside_is_over(aside);
    if (aside.result) return settled(aside.finished, *aside.result);
    trouble(aside.result.error());
  }

  void settled(std::span<const FinishedPtr> finished, const ExchangeResult& result) {
    std::vector<Lease> leases;
    for (std::size_t i = 0; i < finished.size(); ++i) {
      settled(*finished[i], result.settled[i]);
      leases.push_back(lease_of(*finished[i]));
    }
    courier_.settled(leases);
    wake_lanes(result.woken);
    if (options_.due_for_broker && !result.woken.empty()) options_.due_for_broker(result.woken);
  }

  void settled(const Finished& finished, SettleOutcome outcome) {
    held_.remove(lease_of(finished));
    if (finished.counted) gate_.finished(finished.pool);
    if (outcome == SettleOutcome::stale) {
      report_stale(finished, metrics_);
    } else {
      report_settled(finished, metrics_);
      if (!plan_.travels(finished.pool)) note_due(finished);
    }
    orders_.settled(finished.after, finished.settlement.token);
  }

  // Its job may be due again before long.
  void note_due(const Finished& finished) {
    if (finished.settlement.decision.delay)
      book_.note_due(finished.lane, clock_.steady_now() + *finished.settlement.decision.delay);
    else if (finished.verdict == Verdict::released)
      book_.wake(finished.lane);
  }

  void take(ClaimedJob job) {
    held_.add({job.job.id, job.token}, job.job.channel);
    gate_.started(job.job.pool, 1);
    if (gate_.has_rate(job.job.pool)) gate_.hold(job.job.pool, clock_.steady_now());
    const bool probe = routes_.started(job.job, clock_.steady_now());
    departures_.add(std::move(job), probe);
  }

  void take(std::vector<ClaimedJob>&& claimed, DispatchOrders::Open* order) {
    bool any_for_order = false;
    for (ClaimedJob& job : claimed) {
      if (order != nullptr && order->wants(job.job)) {
        orders_.claimed(*order, job.job, job.token);
        any_for_order = true;
      }
      take(std::move(job));
    }
    if (order == nullptr || any_for_order) return;
    if (order->order.only)
      orders_.refuse(*order);
    else
      orders_.no_more(*order);
  }

  // What a broker's messages named and the database let have: started, or put back with nothing burnt.
  void take_offered(const std::vector<ClaimedJob>& claimed) {
    for (const ClaimedJob& job : claimed) {
      const WayOut way = plan_.way_of(job.job, clock_.steady_now());
      if (way == WayOut::open) {
        take(job);
        offers_.started(job);
        continue;
      }
      held_.add({job.job.id, job.token}, job.job.channel);
      outcomes_.add(courier_.put_back(job, put_back_for(way)));
      offers_.put_back(job, way);
    }
    offers_.finish_round(clock_.steady_now());
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
      offers_.book().clear();  // not acknowledged: the broker delivers them again
      courier_.release_waiting();
    }
    hand_back([](const Job&) { return true; });
    const Steady now = clock_.steady_now();
    const bool late = now >= by;
    if (outcomes_.is_settling_aside() && now < by + kSettleGrace)
      return false;  // it may be committed any moment
    if (!outcomes_.empty() && !late) return false;
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
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  LedgerInbox inbox_ EILBOTE_GUARDED_BY(mutex_);
  std::optional<Steady> stop_by_ EILBOTE_GUARDED_BY(mutex_);
  PoolNotes pool_notes_;
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
  OfferDesk offers_;
  ClaimPlan plan_;
  std::uint32_t round_ = 0;
  bool winding_down_ = false;
  Steady look_around_at_ = clock_.steady_now(), reconcile_at_ = look_around_at_ + kReconcileEvery;
  Steady looked_around_{}, not_before_{};
  Duration pause_{0};
  OutcomeLine outcomes_;
  Service service_;
};

}  // namespace

std::unique_ptr<SteppedLedger> make_stepped_ledger(Outbox& outbox, OutboxCare& care, MailChannel& mail,
                                                   const Instance& instance, const Clock& clock,
                                                   Random& random, Metrics& metrics, LedgerOptions options) {
  return std::make_unique<RoundLedger>(outbox, care, mail, instance, clock, random, metrics,
                                       std::move(options));
}

std::unique_ptr<Ledger> make_ledger(Outbox& outbox, OutboxCare& care, MailChannel& mail,
                                    const Instance& instance, const Clock& clock, Random& random,
                                    Metrics& metrics, LedgerOptions options) {
  return make_stepped_ledger(outbox, care, mail, instance, clock, random, metrics, std::move(options));
}

}  // namespace eilbote
