// A simulated instance of Eilbote: the real ledger, intake, upkeep, lease and orphan desk, without their threads, on a link to the
// model of the database and on channels whose answers the history gives. What a thread does when it is woken, work() does. To
// destroy it is kill -9.
#pragma once

#include <memory>
#include <string>

#include "engine/due_news.h"
#include "engine/instance.h"
#include "engine/intake.h"
#include "engine/ledger.h"
#include "engine/orphan_desk.h"
#include "engine/upkeep.h"
#include "simulation/air.h"
#include "simulation/plan.h"
#include "simulation/store_link.h"

namespace eilbote::sim {

inline constexpr Duration kLease = std::chrono::seconds{15};

// What a world gives its instances.
struct Surroundings {
  ModelStore& store;
  SimTime& time;
  Random& random;
  Metrics& metrics;
  const std::vector<Pool>& pools;
  Setup setup;
  std::function<void(int instance)> announce;  // wake the others
  std::function<int(const std::string& pool)> open_everywhere;
  std::function<void(int instance)> while_late;
};

class Node {
 public:
  // Begins the instance's life; `slots`: what a former life of it left behind.
  Node(const Surroundings& around, int number, const Slots& slots);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  int number() const { return number_; }
  bool is_up() const { return !is_frozen_; }

  // Whatever its threads have to do now; false when there is nothing.
  bool work();
  bool step_intake();
  bool step_ledger();
  bool step_departures() { return ledger_->step_departures(); }
  bool step_upkeep(bool anyway);
  // Time has passed: what its heartbeats have done meanwhile, unless they could not.
  void beats_until(TimePoint until);
  void beat();
  // A clean stop, as far as it comes without waiting for anybody.
  void end();

  void accept(NewJob job, Intake::Answer answer);
  void order(DispatchOrder order, std::function<void(Result<DispatchReport>)> done) {
    ledger_->dispatch(order, std::move(done));
  }
  void wake() { news_.look(); }
  bool reset_breaker();

  void freeze() { is_frozen_ = true; }
  void thaw() { is_frozen_ = false; }
  bool is_frozen() const { return is_frozen_; }
  void starve(bool starves) { is_starved_ = starves; }

  Air& air() { return air_; }
  Faults& faults() { return faults_; }
  Epoch epoch() const { return instance_.epoch(); }
  SimClock& clock() { return clock_; }
  LinkedOutbox& outbox() { return outbox_; }

 private:
  // Announces to the other instances, and carries nothing.
  class Announcer final : public Transport {
   public:
    explicit Announcer(std::function<void()> announce) : announce_(std::move(announce)) {}
    bool carries_jobs() const override { return false; }
    void start(Hooks) override {}
    void stop() override {}
    void announce() override { announce_(); }
    void publish(std::vector<Parcel>, Published) override {}
    void acknowledge(std::span<const Receipt>) override {}
    std::optional<std::int64_t> waiting(CarrierQueue) const override { return std::nullopt; }
    TransportState state() const override { return {}; }

   private:
    const std::function<void()> announce_;
  };
  LedgerOptions ledger_options(bool continuous);
  UpkeepOptions upkeep_options(bool settles_orphans);
  CourierRules courier_rules() const;

  const int number_;
  SimTime& time_;
  ModelStore& store_;
  Faults faults_;
  SimClock clock_;
  LinkedOutbox outbox_;
  LinkedCare care_;
  Air air_;
  const std::vector<Pool>& pools_;
  OrphanDesk orphans_;
  Instance instance_;
  std::unique_ptr<SteppedLedger> ledger_;
  Announcer announcer_;
  DueNews news_;
  std::unique_ptr<SteppedIntake> intake_;
  std::unique_ptr<Upkeep> upkeep_;
  Clock::Steady upkeep_at_{};
  bool goes_on_ = false;  // the ledger, without a rest
  bool is_frozen_ = false, is_starved_ = false;
};

}  // namespace eilbote::sim
