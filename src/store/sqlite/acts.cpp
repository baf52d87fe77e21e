// What people do to a job: decided by the domain, written here together with its event and its audit record.
#include "domain/acts.h"
#include "store/row_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

struct Found {
  Job job;
  LaneId lane;
  std::optional<std::int64_t> group;
};

std::optional<Found> find_for_act(Session& session, JobId id) {
  Run run = session.database.run(q::lock_job);
  if (!run.with(id).row()) return std::nullopt;
  Found found;
  found.job = read_locked(run, found.group);
  found.lane = read_lane(run);
  if (const Lane* lane = session.directory.find(session.database, found.lane)) name_job(found.job, *lane);
  return found;
}

void write_audit(Session& session, JobId id, const ActDecision& decision, const ActRequest& request) {
  const std::string detail = audit_detail(decision);
  session.database.run(q::insert_audit)
      .with(session.now, request.actor, kActNames.text(request.act), id, detail, request.trace_id,
            std::string_view(""))
      .done();
}

void apply(Session& session, const Found& found, const ActDecision& decision, const ActRequest& request) {
  if (!request.client) write_audit(session, found.job.id, decision, request);
  if (decision.only_marks) {
    session.database.run(q::mark_cancelling).with(found.job.id, session.now).done();
    return;
  }
  std::optional<std::string_view> dead_reason;
  if (decision.dead_reason) dead_reason = kDeadReasonNames.text(*decision.dead_reason);
  std::optional<TimePoint> finished;
  if (is_final(decision.status)) finished = session.now;
  session.database.run(q::apply_act)
      .with(found.job.id, kJobStatusNames.text(decision.status), decision.resets_budget, dead_reason,
            session.now, finished, session.now + kLifeAfterRetry, decision.keeps_turn)
      .done();
  if (decision.resets_budget) session.database.run(q::delete_recipients).with(found.job.id).done();
  if (decision.sends_anew) close_drafts(session, found.job.id);
  write_event(session, found.job.id,
              StatusEvent{{}, decision.from, decision.to, decision.reason, request.actor, request.trace_id});
  if (found.group) promote(session, {*found.group});
}

}  // namespace

ActOutcome act(Session& session, JobId id, const ActRequest& request, bool broker) {
  ActOutcome outcome;
  outcome.id = id;
  std::optional<Found> found = find_for_act(session, id);
  if (!found || found->job.channel != request.channel ||
      (request.client && found->job.client != *request.client)) {
    outcome.kind = ActKind::not_found;
    return outcome;
  }
  outcome.lane = found->lane;
  const std::optional<ActDecision> decision = decide_act(found->job, request.act, broker);
  if (!decision) {
    outcome.kind = ActKind::refused;
    outcome.job = std::move(found->job);
    return outcome;
  }
  apply(session, *found, *decision, request);
  if (std::optional<Found> now = find_for_act(session, id)) outcome.job = std::move(now->job);
  return outcome;
}

}  // namespace eilbote::sqlite
