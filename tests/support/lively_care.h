// The care of an outbox of which nothing is wanted but a life and turns: epochs count up, every heartbeat finds its epoch alive
// as long as the test lets it, and turns are given as the test says.
#pragma once

#include <atomic>
#include <mutex>

#include "ports/outbox_care.h"

namespace eilbote::test {

class LivelyCare final : public OutboxCare {
 public:
  std::atomic<bool> alive{true};
  std::atomic<bool> gives_turns{true};
  std::atomic<bool> away{false};  // for turns
  std::atomic<int> turns_asked{0};
  std::atomic<bool> sweeps_without_end{false};  // each says that there is more
  std::atomic<int> sweeps{0};
  std::atomic<int> peers{0};  // other instances that are alive
  TimePoint now{};            // the database's clock; set before anybody asks

  Result<Epoch> start_instance(const std::string&, Duration) override { return Epoch{++epoch_}; }
  Result<Heartbeat> heartbeat(Epoch, Duration, bool) override {
    return Heartbeat{alive.exchange(true), {}, peers.load()};
  }
  Result<bool> take_turn(const std::string&, Epoch, Duration) override {
    ++turns_asked;
    if (away) return fail(ErrorKind::unavailable, "as the test says");
    return gives_turns.load();
  }
  Result<void> end_instance(Epoch) override { return {}; }
  Result<int> reconcile(Epoch, std::span<const JobId>) override { return 0; }
  Result<std::vector<ClaimedJob>> orphans(const std::string&, int) override {
    return std::vector<ClaimedJob>{};
  }
  Result<SweepResult> rescue(const RescueParams&) override { return SweepResult{}; }
  Result<SweepResult> sweep(const SweepParams&) override {
    ++sweeps;
    SweepResult swept;
    swept.more = sweeps_without_end;
    return swept;
  }
  Result<OutboxStats> stats() override { return OutboxStats{{}, 0, now}; }

 private:
  std::atomic<std::int32_t> epoch_{0};
};

}  // namespace eilbote::test
