// How a world comes to rest: the faults are over, everybody answers, and every job must come to its end.
#include <algorithm>

#include <fmt/format.h>

#include "simulation/world.h"

namespace eilbote::sim {
namespace {

constexpr int kRoundsMax = 400;
constexpr Duration kTimeMax = std::chrono::hours{24 * 7};
constexpr Duration kMoment = std::chrono::milliseconds{1};
// Longer than any pause the engine makes while there is work, and than it waits for its next look around.
constexpr Duration kPause = std::chrono::milliseconds{1001};

}  // namespace

void World::heal() {
  is_deaf_ = false;
  for (std::size_t n = 0; n < seats_.size(); ++n) {
    restart({StepKind::restart, static_cast<std::uint32_t>(n)});
    Node& node = *seats_[n].node;
    node.thaw();
    node.starve(false);
    node.faults().disarm();
    node.air().set_route(true);
    node.clock().set_wall(Duration{0});
  }
  tell("the faults are over");
}

bool World::answer_all() {
  bool any = false;
  for (const Seat& seat : seats_) {
    Air& air = seat.node->air();
    while (!air.flights().empty()) {
      any = true;
      Flight& flight = air.flights().front();
      if (!air.hand_over(flight)) continue;
      DeliveryResult result;
      result.verdict = Verdict::delivered;
      result.response_code = 200;
      for (std::size_t i = 0; i < flight.recipients.size(); ++i)
        if (flight.recipients[i].status == RecipientStatus::waiting)
          result.recipients.push_back({static_cast<int>(i), RecipientStatus::taken, ""});
      tell("job {} on instance {} is delivered", flight.job.id.value(), seat.node->number());
      air.answer(0, result);
    }
  }
  return any;
}

// A dead job that keeps its group's turn waits for a person, and so do those behind it.
void World::skip_dead() {
  for (const Row& row : store_.rows()) {
    if (!row.blocks_group()) continue;
    ActRequest request;
    request.act = Act::skip;
    request.channel = row.job.channel;
    store_.act(row.job.id, request);
    seats_[0].node->wake();
  }
}

bool World::is_at_rest() const {
  return std::ranges::all_of(store_.rows(), [](const Row& row) { return is_final(row.job.status); });
}

// Until something is due; a second when something is that waits for a rate, a breaker or a lease.
Duration World::until_next() const {
  std::optional<Duration> next;
  for (const Row& row : store_.rows()) {
    if (is_final(row.job.status)) continue;
    const auto goes_before = [&](const Row& other) {
      return other.group == row.group && other.job.holds_turn;
    };
    if (row.job.status == JobStatus::blocked && std::ranges::any_of(store_.rows(), goes_before)) continue;
    const bool waits = row.job.status != JobStatus::dispatching && row.job.next_attempt_at > store_.now();
    const Duration wait = waits ? row.job.next_attempt_at - store_.now() + kMoment : kPause;
    if (!next || wait < *next) next = wait;
  }
  return next.value_or(Duration{0});
}

void World::come_to_rest() {
  heal();
  for (const Seat& seat : seats_)
    seat.node->step_intake();
  const Duration began = time_.passed;
  for (int round = 0; !is_at_rest(); ++round) {
    if (round == kRoundsMax || time_.passed - began > kTimeMax) {
      const auto stuck =
          std::ranges::find_if(store_.rows(), [](const Row& row) { return !is_final(row.job.status); });
      return store_.rules().broken(rule::ends, fmt::format("job {} is still {}", stuck->job.id.value(),
                                                           kJobStatusNames.text(stuck->job.status)));
    }
    bool any = false;
    for (const Seat& seat : seats_)
      any = seat.node->work() || any;
    any = answer_all() || any;
    skip_dead();
    store_.rules().check_rows();
    if (!store_.rules().hold()) return;
    if (any) continue;
    pass(until_next());
    if (plan_.setup.triggered && orders_.empty())
      for (const Seat& seat : seats_)
        order(*seat.node, {});
  }
  store_.rules().check_acknowledged();
  prove_answered();
  // A clock that jumped back leaves lanes that are asked from a mark on which is too late; a full look comes within seconds.
  if (store_.rules().hold() && store_.jumps() == 0 && !plan_.setup.triggered) prove_prompt();
}

void World::prove_answered() {
  // An order's wait begins when the ledger hears of it.
  for (const Duration wait : {Duration{0}, DispatchOrder{}.wait + kPause}) {
    pass(wait);
    for (const Seat& seat : seats_)
      seat.node->work();
  }
  for (const OpenOrder& one : orders_)
    store_.rules().broken(rule::answered, fmt::format("order {} is still open", one.number));
}

// Two jobs of a group are handed in while nobody has anything to do: the wake-ups alone must bring both on their way, without
// a moment passing.
void World::prove_prompt() {
  Node& node = *seats_[0].node;
  node.reset_breaker();
  pass(kPause);
  const auto settle_down = [&] {
    for (int i = 0; i < 4 && node.work(); ++i) {
    }
  };
  settle_down();
  answer_all();  // what began only now, under a lease that is over, has a place in the pool until it is given back
  settle_down();
  const std::size_t before = node.air().begun();
  for (int i = 0; i < 2; ++i) {
    Request request = draw_request({});
    request.job.group = "g9";
    request.job.pool = "mail";
    request.job.scheduled_for.reset();
    request.job.expires_at.reset();
    request.job.idempotency_key.clear();
    request.job.group_mode = GroupMode::NEXT_ON_ERROR;
    hand_in(node, std::move(request));
  }
  for (std::size_t n = 1; n <= 2; ++n) {
    settle_down();
    if (node.air().begun() != before + n)
      return store_.rules().broken(rule::prompt, fmt::format("the {} of two jobs of a group has not begun",
                                                             n == 1 ? "first" : "second"));
    answer_all();
  }
  settle_down();
  if (!is_at_rest()) store_.rules().broken(rule::ends, "the last two jobs are not settled");
}

}  // namespace eilbote::sim
