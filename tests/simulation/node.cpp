#include "simulation/node.h"

namespace eilbote::sim {
namespace {

constexpr int kRoundsAtOnce = 6;

// What a process that is gone did with a mail, as others have to see it.
DeliveryResult lost_with_its_worker() {
  DeliveryResult result;
  result.verdict = Verdict::uncertain;
  result.attempt_status = AttemptStatus::TIMEOUT;
  result.code = "WORKER_LOST";
  result.text = "its worker is gone";
  return result;
}

}  // namespace

Node::Node(const Surroundings& around, int number, const Slots& slots)
    : number_(number),
      time_(around.time),
      store_(around.store),
      clock_(around.time),
      outbox_(around.store, faults_),
      care_(around.store, faults_),
      air_(number, around.store.rules(), around.open_everywhere),
      pools_(around.pools),
      orphans_(outbox_, care_, clock_, around.random, around.metrics, courier_rules(), "relay"),
      instance_(care_, clock_, "instance " + std::to_string(number), kLease),
      ledger_(make_stepped_ledger(outbox_, care_, air_.mails(), instance_, clock_, around.random,
                                  around.metrics, ledger_options(!around.setup.triggered))),
      announcer_([announce = around.announce, number] { announce(number); }),
      news_(*ledger_, nullptr, announcer_, true) {
  faults_.while_late = [late = around.while_late, number] { late(number); };
  intake_ = make_stepped_intake(outbox_, clock_, around.metrics, {},
                                [this](std::span<const LaneId> lanes) { news_.everywhere(lanes); });
  upkeep_ =
      make_upkeep(care_, instance_, clock_, around.metrics, upkeep_options(around.setup.settles_orphans),
                  [this](std::span<const LaneId> lanes) { news_.nearby(lanes); });
  if (around.setup.settles_orphans) {
    const auto known = [&](const ClaimedJob& orphan, const MailContent&) -> std::optional<DeliveryResult> {
      const auto slot = slots.find({orphan.job.id, orphan.token});
      if (slot == slots.end()) return std::nullopt;
      DeliveryResult became = slot->second.value_or(lost_with_its_worker());
      around.store.rules().answered(orphan.job.id, orphan.token, {became});
      return became;
    };
    static_cast<void>(orphans_.settle_own("instance " + std::to_string(number), known));
  }
  static_cast<void>(instance_.begin());
  static_cast<void>(instance_.beat());
}

Node::~Node() = default;

CourierRules Node::courier_rules() const {
  CourierRules rules;
  rules.mail_policy.strategy = RetryStrategy::immediate;
  return rules;
}

LedgerOptions Node::ledger_options(bool continuous) {
  LedgerOptions options;
  options.continuous = continuous;
  options.pools = pools_;
  options.courier = courier_rules();
  options.routes.host.calls_min = 3;
  options.routes.requests_per_host_max = 2;
  options.webhooks.channel = &air_.webhooks();
  options.lease = kLease;
  return options;
}

UpkeepOptions Node::upkeep_options(bool settles_orphans) {
  UpkeepOptions options;
  options.lease = kLease;
  options.held = [this] { return ledger_->held_webhooks(); };
  if (!settles_orphans) return options;
  options.settle_orphans = [this] {
    return orphans_.settle_dead(
        [this](const ClaimedJob& orphan, const MailContent&) -> std::optional<DeliveryResult> {
          if (ledger_->holds({orphan.job.id, orphan.token})) return std::nullopt;
          store_.rules().answered(orphan.job.id, orphan.token, {lost_with_its_worker()});
          return lost_with_its_worker();
        });
  };
  return options;
}

void Node::accept(NewJob job, Intake::Answer answer) {
  intake_->accept(std::move(job), {}, std::move(answer));
}

bool Node::step_intake() {
  const auto wait = [this](Duration pause) {
    time_.passed += pause;
    store_.rules().check_leases();
  };
  return intake_->step({wait, [] { return false; }});
}

bool Node::step_ledger() {
  if (!goes_on_ && ledger_->rests_until() > clock_.steady_now()) return false;
  goes_on_ = ledger_->step() == SteppedLedger::Step::did;
  return true;
}

bool Node::step_upkeep(bool anyway) {
  if (is_starved_ || (!anyway && upkeep_at_ > clock_.steady_now())) return false;
  upkeep_at_ = upkeep_->turn({});
  return true;
}

bool Node::work() {
  bool any = step_intake();
  step_upkeep(false);
  for (int i = 0; i < kRoundsAtOnce; ++i) {
    const bool went_round = step_ledger();
    const bool departed = step_departures();
    any = any || went_round || departed;
    if (!went_round && !departed) break;
  }
  return any;
}

void Node::beats_until(TimePoint until) {
  if (!is_frozen_ && !is_starved_) store_.stretch(epoch(), until + kLease);
}

void Node::beat() {
  if (!is_frozen_ && !is_starved_) static_cast<void>(instance_.beat());
}

void Node::end() {
  ledger_->stop(Duration{0});
  for (int i = 0; i < kRoundsAtOnce; ++i) {
    const auto step = ledger_->step();
    step_departures();
    if (step == SteppedLedger::Step::over) break;
  }
  instance_.end();
}

bool Node::reset_breaker() {
  return ledger_->reset_breaker("relay");
}

}  // namespace eilbote::sim
