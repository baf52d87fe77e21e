// An instance's way to the model of the database, and what goes wrong on it. A fault is armed for the next call of its kind,
// as often as it says.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "base/enum_names.h"
#include "simulation/model_store.h"

namespace eilbote::sim {

enum class FaultKind {
  refused,   // the database is away: nothing happened
  lost,      // it happened, and the answer is lost
  not_done,  // it did not happen, and the answer is lost
  half,      // of an exchange: what is grouped is settled, the rest did not happen, and the answer is lost
  rejected,  // the database does not take a row
  late       // it happened, and the answer comes when the lease is over
};
inline constexpr auto kFaultNames = enum_names<FaultKind>({{FaultKind::refused, "refused"},
                                                           {FaultKind::lost, "answer lost"},
                                                           {FaultKind::not_done, "not done, answer lost"},
                                                           {FaultKind::half, "half done, answer lost"},
                                                           {FaultKind::rejected, "row rejected"},
                                                           {FaultKind::late, "answer late"}});
static_assert(kFaultNames.complete());

enum class CallKind { accept, exchange, load, care };
inline constexpr auto kCallNames = enum_names<CallKind>({{CallKind::accept, "accept"},
                                                         {CallKind::exchange, "exchange"},
                                                         {CallKind::load, "load"},
                                                         {CallKind::care, "care"}});
static_assert(kCallNames.complete());

class Faults {
 public:
  void arm(CallKind call, FaultKind fault, int times) { armed_[index(call)] = {fault, times}; }
  void disarm() { armed_ = {}; }
  std::optional<FaultKind> take(CallKind call) {
    Armed& armed = armed_[index(call)];
    if (armed.times == 0) return std::nullopt;
    --armed.times;
    return armed.fault;
  }
  // What happens while an answer is late.
  std::function<void()> while_late;

 private:
  struct Armed {
    FaultKind fault = FaultKind::refused;
    int times = 0;
  };
  static std::size_t index(CallKind call) { return static_cast<std::size_t>(call); }
  std::array<Armed, 4> armed_{};
};

// Does a call, or what a fault makes of it.
template <class Do>
auto with_fault(Faults& faults, CallKind call, Do work) -> Result<decltype(work())> {
  const auto fault = faults.take(call);
  if (!fault) return work();
  switch (*fault) {
    case FaultKind::refused:
      return fail(ErrorKind::unavailable, "the database is away");
    case FaultKind::rejected:
      if (call == CallKind::accept || call == CallKind::exchange)
        return fail(ErrorKind::rejected_data, "the database does not take this");
      return fail(ErrorKind::unavailable, "the database is away");
    case FaultKind::lost:
      work();
      return fail(ErrorKind::ambiguous, "the answer was lost");
    case FaultKind::not_done:
    case FaultKind::half:
      return fail(ErrorKind::ambiguous, "the answer was lost");
    case FaultKind::late:
      break;
  }
  auto answer = work();
  faults.while_late();
  return answer;
}

class LinkedOutbox final : public Outbox {
 public:
  LinkedOutbox(ModelStore& store, Faults& faults) : store_(store), faults_(faults) {}
  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override;
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override;
  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override;
  Result<ActiveLanes> active_lanes() override;
  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override;
  Result<JobHistory> history(JobId) override { return JobHistory{}; }
  Result<Page> list(const ListQuery&) override { return Page{}; }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) override;
  Result<void> check() override { return {}; }

 private:
  ModelStore& store_;
  Faults& faults_;
};

class LinkedCare final : public OutboxCare {
 public:
  LinkedCare(ModelStore& store, Faults& faults) : store_(store), faults_(faults) {}
  Result<Epoch> start_instance(const std::string& name, Duration lease) override;
  Result<Heartbeat> heartbeat(Epoch epoch, Duration lease, bool takes_homes) override;
  Result<bool> take_turn(const std::string& chore, Epoch epoch, Duration turn) override;
  Result<void> end_instance(Epoch epoch) override;
  Result<int> reconcile(Epoch epoch, std::span<const JobId> held) override;
  Result<std::vector<ClaimedJob>> orphans(const std::string& of_instance, int rows_max) override;
  Result<SweepResult> rescue(const RescueParams& params) override;
  Result<SweepResult> sweep(const SweepParams& params) override;
  Result<OutboxStats> stats() override { return OutboxStats{{}, 0, store_.now()}; }

 private:
  ModelStore& store_;
  Faults& faults_;
};

}  // namespace eilbote::sim
