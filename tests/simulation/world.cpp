#include "simulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace eilbote::sim {
namespace {

std::vector<Pool> make_pools() {
  std::vector<Pool> pools(4);
  pools[0].code = "mail";
  pools[1].code = "webhook";
  pools[2].code = "narrow";
  pools[3].code = "slow";
  pools[0].concurrency = pools[1].concurrency = 3;
  pools[2].concurrency = 1;
  pools[3].concurrency = 4;
  pools[3].rate_limit_per_minute = 60;
  pools[3].burst = 2;
  pools[2].limited = pools[3].limited = true;
  return pools;
}

// From a moment to two days: what leases, retries and breakers wait for lies in between.
constexpr std::array<Duration, 8> kTimes{std::chrono::milliseconds{20}, std::chrono::milliseconds{300},
                                         std::chrono::seconds{1},       std::chrono::seconds{4},
                                         std::chrono::seconds{20},      std::chrono::minutes{2},
                                         std::chrono::minutes{15},      std::chrono::hours{48}};

}  // namespace

std::string World::moment() const {
  return fmt::format("{:>10.3f} s  ", std::chrono::duration<double>(time_.passed - kBegin).count());
}

World::World(const Plan& plan, Metrics& metrics, Story story)
    : plan_(plan),
      story_(std::move(story)),
      random_(plan.seed ^ 0x5EED),
      pools_(make_pools()),
      store_(time_, pools_),
      around_{store_,
              time_,
              random_,
              metrics,
              pools_,
              plan.setup,
              [this](int instance) { announce(instance); },
              [this](const std::string& pool) { return open_everywhere(pool); },
              [this](int instance) { late(instance); }},
      seats_(static_cast<std::size_t>(plan.setup.instances)) {
  for (std::size_t i = 0; i < seats_.size(); ++i)
    seats_[i].node = std::make_unique<Node>(around_, static_cast<int>(i), Slots{});
}

std::optional<Violation> World::run() {
  for (const Step& step : plan_.steps) {
    carry_out(step);
    store_.rules().check_rows();
    if (!store_.rules().hold()) return store_.rules().violation();
  }
  come_to_rest();
  return store_.rules().violation();
}

Node* World::node_of(std::uint32_t n) {
  Node* node = seats_[n % seats_.size()].node.get();
  return node != nullptr && !node->is_frozen() ? node : nullptr;
}

std::vector<World::Flying> World::flying() {
  std::vector<Flying> all;
  for (const Seat& seat : seats_)
    if (seat.node && !seat.node->is_frozen())
      for (std::size_t n = 0; n < seat.node->air().flights().size(); ++n)
        all.push_back({seat.node.get(), n});
  return all;
}

int World::open_everywhere(const std::string& pool) {
  int open = 0;
  for (const Seat& seat : seats_) {
    if (!seat.node) continue;
    for (const Flight& flight : seat.node->air().flights())
      if (flight.job.pool == pool && store_.find(flight.job.id)->token == flight.token &&
          store_.is_alive(epoch_of(flight.token)))
        ++open;
  }
  return open;
}

void World::announce(int instance) {
  if (is_deaf_) return;
  for (const Seat& seat : seats_)
    if (seat.node && seat.node->number() != instance) seat.node->wake();
}

// The answer to a call comes after its instance's lease is over; the others go on meanwhile.
void World::late(int instance) {
  if (is_late_) return;
  is_late_ = true;
  const bool was_frozen = seats_[static_cast<std::size_t>(instance)].node == nullptr ||
                          seats_[static_cast<std::size_t>(instance)].node->is_frozen();
  if (!was_frozen) seats_[static_cast<std::size_t>(instance)].node->freeze();
  pass(kLease + std::chrono::seconds{2});
  for (const Seat& seat : seats_)
    if (seat.node && !seat.node->is_frozen()) seat.node->work();
  if (!was_frozen) seats_[static_cast<std::size_t>(instance)].node->thaw();
  is_late_ = false;
}

// ---- steps ----

void World::carry_out(const Step& step) {
  Node* node = node_of(step.a);
  switch (step.kind) {
    case StepKind::submit:
      return submit(step);
    case StepKind::resend:
      return resend(step);
    case StepKind::hand_over:
      return hand_over(step);
    case StepKind::answer:
      return answer(step);
    case StepKind::act:
      return act(step);
    case StepKind::order:
      return order(step);
    case StepKind::advance:
      return pass(kTimes[step.b % (step.c % 8 == 0 ? kTimes.size() : 5)]);
    case StepKind::fault:
      return fault(step);
    case StepKind::kill:
      return kill(step);
    case StepKind::restart:
      return restart(step);
    case StepKind::end:
      return end(step);
    case StepKind::jump: {
      const bool back = step.b % 4 == 0;
      time_.database_ahead += back ? -Duration{std::chrono::seconds{30}} : kTimes[3 + step.b % 4];
      store_.clock_jumped(back);
      return tell("the database's clock jumps {}", back ? "back" : "ahead");
    }
    case StepKind::deafen:
      is_deaf_ = !is_deaf_;
      return tell("wake-ups between instances {}", is_deaf_ ? "are lost from here on" : "arrive again");
    case StepKind::thaw:
      if (Node* frozen = seats_[step.a % seats_.size()].node.get();
          frozen != nullptr && frozen->is_frozen()) {
        frozen->thaw();
        tell("instance {} goes on (SIGCONT)", frozen->number());
      }
      return;
    default:
      if (node != nullptr) step_of(*node, step);
  }
}

void World::step_of(Node& node, const Step& step) {
  const int n = node.number();
  switch (step.kind) {
    case StepKind::work:
      tell("instance {} works", n);
      node.work();
      break;
    case StepKind::intake:
      tell("instance {}: the intake commits", n);
      node.step_intake();
      break;
    case StepKind::ledger:
      tell("instance {}: the ledger goes round", n);
      node.step_ledger();
      break;
    case StepKind::departures:
      tell("instance {}: departures begin what is claimed", n);
      node.step_departures();
      break;
    case StepKind::upkeep:
      tell("instance {}: upkeep", n);
      node.step_upkeep(true);
      break;
    case StepKind::freeze:
      tell("instance {} is frozen (SIGSTOP)", n);
      node.freeze();
      break;
    case StepKind::starve:
      node.starve(step.b % 2 == 0);
      tell("upkeep of instance {} {}", n, step.b % 2 == 0 ? "gets no time any more" : "gets its time");
      break;
    case StepKind::set_wall:
      node.clock().set_wall(step.b % 2 == 0 ? -Duration{std::chrono::hours{2}}
                                            : Duration{std::chrono::hours{30}});
      tell("the wall clock of instance {} is set", n);
      break;
    case StepKind::route:
      node.air().set_route(step.b % 2 == 0);
      tell("to instance {} the relay is {}", n, step.b % 2 == 0 ? "there" : "away");
      break;
    default:
      break;
  }
}

void World::pass(Duration time) {
  tell("time passes");
  const TimePoint until = store_.now() + time;
  const bool beats = time >= std::chrono::seconds{1};
  for (const Seat& seat : seats_)
    if (seat.node && beats) seat.node->beats_until(until);
  time_.passed += time;
  for (const Seat& seat : seats_)
    if (seat.node && beats) seat.node->beat();
  store_.rules().check_leases();
}

void World::fault(const Step& step) {
  Node* node = node_of(step.a);
  if (node == nullptr) return;
  const auto call = static_cast<CallKind>(step.b % 4);
  const auto kind = static_cast<FaultKind>(step.c % 6);
  // What cannot be stored even in our own words is given up, and that is a duplicate: a row is not rejected for so long.
  const int times_max = kind == FaultKind::late ? 1 : kind == FaultKind::rejected ? 2 : 3;
  const int times = 1 + static_cast<int>(step.c / 6) % times_max;
  node->faults().arm(call, kind, times);
  tell("the next {} calls of instance {} ({}) go wrong: {}", times, node->number(), kCallNames.text(call),
       kFaultNames.text(kind));
}

void World::kill(const Step& step) {
  Seat& seat = seats_[step.a % seats_.size()];
  if (!seat.node) return;
  tell("instance {} is killed", seat.node->number());
  store_.rules().lost(seat.node->number());
  std::erase_if(orders_, [&](const OpenOrder& one) { return one.instance == seat.node->number(); });
  seat.slots = seat.node->air().slots();
  seat.node.reset();
}

void World::restart(const Step& step) {
  const std::size_t n = step.a % seats_.size();
  if (seats_[n].node) return;
  tell("instance {} starts", n);
  seats_[n].node = std::make_unique<Node>(around_, static_cast<int>(n), seats_[n].slots);
  seats_[n].slots.clear();
}

void World::end(const Step& step) {
  Node* node = node_of(step.a);
  if (node == nullptr) return;
  tell("instance {} stops in order", node->number());
  node->end();
  kill(step);
}

}  // namespace eilbote::sim
