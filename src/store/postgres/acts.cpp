// What people do to a job: one transaction a job. The group's lock comes first, then the row's, then the
// domain decides.
#include "domain/acts.h"

#include "domain/states.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/operations.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Call apply_call(JobId id, const ActDecision& decision) {
  Params params;
  params.add(id.value()).add(kJobStatusNames.text(decision.status)).add(decision.resets_budget);
  if (decision.dead_reason)
    params.add(kDeadReasonNames.text(*decision.dead_reason));
  else
    params.add_null(Type::text);
  params.add(is_final(decision.status)).add(kLifeAfterRetry).add(decision.keeps_turn);
  return {&q::apply_act, std::move(params)};
}

void add_event_call(Calls& calls, JobId id, const ActDecision& decision, const ActRequest& request) {
  EventRows events;
  events.add(id.value(), {{}, decision.from, decision.to, decision.reason, request.actor, request.trace_id});
  std::move(events).write(calls);
}

Call audit_call(JobId id, const ActDecision& decision, const ActRequest& request) {
  Params params;
  params.add(request.actor)
      .add(kActNames.text(request.act))
      .add(id.value())
      .add_json(audit_detail(decision))
      .add(request.trace_id)
      .add("");
  return {&q::insert_audit, std::move(params)};
}

// Writes the decision down and commits; afterwards the job as it is now.
Result<Job> carry_out(Connection& connection, const Job& job, std::optional<std::int64_t> group,
                      const ActDecision& decision, const ActRequest& request) {
  Calls calls;
  if (decision.only_marks) {
    calls.push_back({&q::mark_cancelling, std::move(Params().add(job.id.value()))});
  } else {
    calls.push_back(apply_call(job.id, decision));
    add_event_call(calls, job.id, decision, request);
  }
  if (decision.resets_budget)
    calls.push_back({&q::delete_recipients, std::move(Params().add(job.id.value()))});
  if (decision.sends_anew) calls.push_back(close_drafts_call(std::span(&job.id, 1)));
  if (!request.client) calls.push_back(audit_call(job.id, decision, request));
  if (group) {
    calls.push_back({&q::promote_groups, std::move(Params().add(int8_array(std::span(&*group, 1))))});
    calls.push_back({&q::find_many, std::move(Params().add(int8_array(std::span(&job.id, 1))))});
  }
  calls.push_back({&q::commit_transaction, {}});
  auto done = connection.run(calls);
  if (!done) return fail(done.error());
  // In a group the promotion may have moved it on: read after it.
  Job after = read_job(group ? (*done)[done->size() - 2][0] : done->front()[0]);
  name_job(after, job);
  return after;
}

}  // namespace

Result<ActOutcome> act(Connection& connection, Directory& directory, JobId id, const ActRequest& request,
                       bool broker) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::lock_groups_of, std::move(Params().add(int8_array(std::span(&id, 1))))});
  calls.push_back({&q::lock_job, std::move(Params().add(id.value()))});
  auto locked = connection.run(calls);
  if (!locked) return fail(locked.error());

  ActOutcome outcome;
  outcome.id = id;
  outcome.kind = ActKind::not_found;
  if (locked->back().empty()) return outcome;
  const Row row = locked->back()[0];
  if (auto known = directory.know_lanes(connection, locked->back()); !known) return fail(known.error());
  std::optional<std::int64_t> group;
  outcome.lane = read_lane(row);
  outcome.job = read_locked(row, group);
  if (const auto lane = directory.lane(outcome.lane)) name_job(outcome.job, *lane);
  if (outcome.job.channel != request.channel || (request.client && outcome.job.client != *request.client))
    return ActOutcome{id, ActKind::not_found, {}, {}};

  outcome.kind = ActKind::refused;
  const auto decision = decide_act(outcome.job, request.act, broker);
  if (!decision) return outcome;
  auto after = carry_out(connection, outcome.job, group, *decision, request);
  if (!after) return fail(after.error());
  outcome.kind = ActKind::done;
  outcome.job = std::move(*after);
  return outcome;
}

}  // namespace eilbote::postgres
