#include "simulation/store_link.h"

namespace eilbote::sim {

Result<std::vector<AcceptOutcome>> LinkedOutbox::accept(std::span<const NewJob> jobs, AcceptRun run) {
  auto answer = with_fault(faults_, CallKind::accept, [&] { return store_.accept(jobs, run); });
  if (!answer) return fail(answer.error());
  return std::move(*answer);
}

Result<ExchangeResult> LinkedOutbox::exchange(const ExchangeRequest& request) {
  // What the database can reject is what somebody wants to write down.
  const auto fault = faults_.take(CallKind::exchange);
  if (fault == FaultKind::rejected && request.settlements.empty()) return store_.exchange(request);
  if (fault == FaultKind::half) {
    std::vector<LaneId> woken;
    store_.settle(request.settlements, true, woken);
  }
  Faults once;
  once.while_late = [this] { faults_.while_late(); };
  if (fault) once.arm(CallKind::exchange, *fault, 1);
  return with_fault(once, CallKind::exchange, [&] { return store_.exchange(request); });
}

Result<JobContents> LinkedOutbox::load_contents(std::span<const JobId> mails,
                                                std::span<const JobId> webhooks) {
  return with_fault(faults_, CallKind::load, [&] { return store_.load(mails, webhooks); });
}

Result<ActiveLanes> LinkedOutbox::active_lanes() {
  return store_.active_lanes();
}

Result<std::optional<JobRecord>> LinkedOutbox::find(JobId id, const std::optional<ClientName>&) {
  return store_.record(id);
}

Result<std::vector<ActOutcome>> LinkedOutbox::act(std::span<const JobId> ids, const ActRequest& request) {
  std::vector<ActOutcome> outcomes;
  for (const JobId id : ids)
    outcomes.push_back(store_.act(id, request));
  return outcomes;
}

Result<Epoch> LinkedCare::start_instance(const std::string& name, Duration lease) {
  return store_.start_instance(name, lease);
}

Result<Heartbeat> LinkedCare::heartbeat(Epoch epoch, Duration lease, bool takes_homes) {
  return with_fault(faults_, CallKind::care, [&] { return store_.heartbeat(epoch, lease, takes_homes); });
}

Result<bool> LinkedCare::take_turn(const std::string& chore, Epoch epoch, Duration turn) {
  return store_.take_turn(chore, epoch, turn);
}

Result<void> LinkedCare::end_instance(Epoch epoch) {
  store_.end_instance(epoch);
  return {};
}

Result<int> LinkedCare::reconcile(Epoch epoch, std::span<const JobId> held) {
  return with_fault(faults_, CallKind::care, [&] { return store_.reconcile(epoch, held); });
}

Result<std::vector<ClaimedJob>> LinkedCare::orphans(const std::string& of_instance, int) {
  return store_.orphans(of_instance);
}

Result<SweepResult> LinkedCare::rescue(const RescueParams& params) {
  return with_fault(faults_, CallKind::care, [&] { return store_.rescue(params); });
}

Result<SweepResult> LinkedCare::sweep(const SweepParams& params) {
  return store_.sweep(params.sweep);
}

}  // namespace eilbote::sim
