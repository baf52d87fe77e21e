// A simulated world: a model of the database, some instances on it, clients and the other side; carries out the steps of a plan one
// by one on this thread, then lets it come to rest with all faults over, and looks at the rules after every step.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "simulation/history_run.h"
#include "simulation/node.h"
#include "simulation/plan.h"

namespace eilbote::sim {

class World {
 public:
  // `story` is told each step in words; empty: nobody reads it.
  World(const Plan& plan, Metrics& metrics, Story story);

  // The first thing that breaks a rule; nothing: all hold.
  std::optional<Violation> run();
  int jobs() const { return static_cast<int>(store_.rows().size()); }

 private:
  struct Request {
    NewJob job;
    RetryPolicy policy;
  };
  struct Seat {  // of an instance, whether one sits there or not
    std::unique_ptr<Node> node;
    Slots slots;  // that the last one left behind
  };
  struct Flying {
    Node* node = nullptr;
    std::size_t n = 0;
  };

  void carry_out(const Step& step);
  void step_of(Node& node, const Step& step);
  void submit(const Step& step);
  void resend(const Step& step);
  void hand_in(Node& node, Request request);
  void hand_over(const Step& step);
  void answer(const Step& step);
  void act(const Step& step);
  void order(const Step& step);
  void order(Node& node, DispatchOrder order);
  void pass(Duration time);
  void fault(const Step& step);
  void kill(const Step& step);
  void restart(const Step& step);
  void end(const Step& step);
  void late(int instance);
  void announce(int instance);
  int open_everywhere(const std::string& pool);

  // What follows the last step.
  void come_to_rest();
  void heal();
  bool answer_all();
  void skip_dead();
  Duration until_next() const;
  bool is_at_rest() const;
  void prove_prompt();
  void prove_answered();

  Node* node_of(std::uint32_t n);
  std::vector<Flying> flying();
  Request draw_request(const Step& step);
  DeliveryResult draw_answer(const Flight& flight, const Step& step) const;
  template <class... T>
  void tell(std::string_view format, const T&... words) {
    if (story_) story_(moment() + fmt::format(fmt::runtime(format), words...));
  }
  std::string moment() const;

  const Plan& plan_;
  const Story story_;
  SimTime time_;
  SeededRandom random_;
  const std::vector<Pool> pools_;
  ModelStore store_;
  const Surroundings around_;
  std::vector<Seat> seats_;
  std::vector<Request> requests_;  // that have a key
  struct OpenOrder {
    int number = 0, instance = 0;
  };
  std::vector<OpenOrder> orders_;
  int last_order_ = 0;
  std::int64_t last_id_ = 0;
  bool is_deaf_ = false, is_late_ = false;
};

}  // namespace eilbote::sim
