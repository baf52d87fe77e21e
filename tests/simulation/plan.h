// One simulated history before it runs: how many instances there are, and what happens in which order. Drawn from a seed, and
// nothing else; every step can be carried out whatever happened before (it names its job or instance by a number that is taken
// round the ones there are), so that a plan from which steps were taken away is a plan again. The shrinker lives by that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/random.h"

namespace eilbote::sim {

enum class StepKind {
  submit,      // a client hands a job in
  resend,      // a client asks again under a key it used before
  work,        // an instance does whatever its threads have to do now
  intake,      // only its intake commits what waits
  ledger,      // only the ledger goes round once
  departures,  // only contents are loaded and deliveries begun
  upkeep,      // only upkeep
  hand_over,   // a delivery leaves for the other side
  answer,      // the other side answers
  act,         // an operator or a client acts on a job
  order,       // somebody wants due mails delivered now (POST /internal/dispatch)
  advance,     // time passes; instances that live send their heartbeats
  fault,       // the next call of an instance to the database goes wrong
  kill,        // kill -9
  restart,
  end,       // a clean stop, as far as it comes in no time
  freeze,    // SIGSTOP
  thaw,      // SIGCONT
  starve,    // its upkeep gets no time: no heartbeats
  jump,      // the database's clock jumps
  set_wall,  // an instance's wall clock is set
  deafen,    // wake-ups between instances are lost, or no longer
  route      // the mail route goes down, or up again
};
inline constexpr auto kStepNames = enum_names<StepKind>(
    {{StepKind::submit, "submit"}, {StepKind::resend, "resend"},       {StepKind::work, "work"},
     {StepKind::intake, "intake"}, {StepKind::ledger, "ledger"},       {StepKind::departures, "departures"},
     {StepKind::upkeep, "upkeep"}, {StepKind::hand_over, "hand_over"}, {StepKind::answer, "answer"},
     {StepKind::act, "act"},       {StepKind::order, "order"},         {StepKind::advance, "advance"},
     {StepKind::fault, "fault"},   {StepKind::kill, "kill"},           {StepKind::restart, "restart"},
     {StepKind::end, "end"},       {StepKind::freeze, "freeze"},       {StepKind::thaw, "thaw"},
     {StepKind::starve, "starve"}, {StepKind::jump, "jump"},           {StepKind::set_wall, "set_wall"},
     {StepKind::deafen, "deafen"}, {StepKind::route, "route"}});
static_assert(kStepNames.complete());

struct Step {
  StepKind kind = StepKind::work;
  std::uint32_t a = 0, b = 0, c = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

struct Setup {
  int instances = 1;
  bool faults = true;            // false: nothing goes wrong but deliveries
  bool triggered = false;        // mails go out only when they are ordered
  bool settles_orphans = false;  // mails of the dead are uncertain, as on a relay's route
  friend bool operator==(const Setup&, const Setup&) = default;
};

struct Plan {
  std::uint64_t seed = 0;
  Setup setup;
  std::vector<Step> steps;
  friend bool operator==(const Plan&, const Plan&) = default;
};

Plan draw_plan(std::uint64_t seed);

// Numbers that follow from a seed: splitmix64, small and the same everywhere.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() override;
  // Below n.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits() % n); }

 private:
  std::uint64_t state_;
};

}  // namespace eilbote::sim
