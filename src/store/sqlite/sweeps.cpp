// Upkeep, one bounded piece at a time: what was lost, what is too late, what is used up, whose turn was
// forgotten.
#include "store/row_readers.h"
#include "store/sqlite/operations.h"
#include "store/swept_job.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

std::vector<SweptJob> swept_by(Run& run) {
  std::vector<SweptJob> rows;
  while (run.row())
    rows.push_back(read_swept(run));
  return rows;
}

// Events, recipients and turns that follow from what a sweep changed.
void follow_up(Session& session, const std::vector<SweptJob>& rows, const Move& move, bool broker,
               SweepResult& result) {
  Groups groups;
  for (const SweptJob& row : rows) {
    ++result.changed;
    if (row.group) groups.insert(*row.group);
    if (row.status == JobStatus::queued) result.lanes.push_back(row.lane);
    if (row.status == JobStatus::failed) {
      ++result.failed;
      result.dead.push_back({row.id, row.channel, row.retry_count});
    }
    if (is_dead_mail(row)) ++result.failed_mails;
    if (const auto event = event_of_sweep(row, move, broker)) write_event(session, row.id, *event);
    if (row.status == JobStatus::sent) {  // some recipient had been taken
      session.database.run(q::refuse_waiting).with(row.id, move.reason, session.now).done();
      report_sent(session, row.id);
    }
  }
  for (const LaneId lane : promote(session, groups))
    result.lanes.push_back(lane);
}

// A sweep of one statement: `with` binds its parameters.
template <class Bind>
SweepResult sweep_once(Session& session, const SweepParams& params, const sql::Text& statement,
                       const Move& move, bool broker, Bind bind) {
  SweepResult result;
  std::vector<SweptJob> rows;
  {
    Run run = session.database.run(statement);
    bind(run);
    rows = swept_by(run);
  }
  follow_up(session, rows, move, broker, result);
  result.more = result.changed >= params.rows_max;
  return result;
}

SweepResult promote_lines(Session& session, const SweepParams& params) {
  Groups groups;
  {
    Run run = session.database.run(q::lines_due);
    for (run.with(session.now, params.rows_max); run.row();)
      groups.insert(run.int8(0));
  }
  SweepResult result;
  result.lanes = promote(session, groups);
  result.changed = static_cast<int>(result.lanes.size());
  result.more = static_cast<int>(groups.size()) >= params.rows_max;
  return result;
}

}  // namespace

SweepResult rescue(Session& session, const RescueParams& params, bool broker) {
  SweepResult result;
  GivenRows spare;
  for (const JobId id : params.spare)
    spare.add(id);
  for (const Epoch epoch : dead_epochs(session, params.of_instance)) {
    const LeaseTokens tokens = tokens_of(epoch);
    std::vector<SweptJob> rows;
    if (result.changed < params.rows_max) {
      Run run = session.database.run(q::rescue_dead);
      run.with(tokens.first, tokens.last, session.now, kLeaseLossesMax, kRescue.reason,
               params.rows_max - result.changed, params.spare_mails, spare);
      rows = swept_by(run);
    }
    follow_up(session, rows, kRescue, broker, result);
    session.database.run(q::delete_instance).with(epoch, session.now, tokens.first, tokens.last).done();
  }
  result.more = result.changed >= params.rows_max;
  return result;
}

SweepResult sweep(Session& session, const SweepParams& params, bool broker) {
  switch (params.sweep) {
    case Sweep::rescue_foreign:
      return sweep_once(session, params, q::rescue_foreign, kRescue, broker, [&](Run& run) {
        run.with(session.now - params.foreign_lease, session.now, kLeaseLossesMax, kRescue.reason,
                 params.rows_max);
      });
    case Sweep::expire:
      return sweep_once(session, params, q::expire_due, kExpire, broker,
                        [&](Run& run) { run.with(session.now, params.rows_max); });
    case Sweep::exhaust:
      return sweep_once(session, params, q::exhaust_due, kExhaust, broker,
                        [&](Run& run) { run.with(session.now, params.rows_max); });
    case Sweep::unpublish:
      return sweep_once(session, params, q::unpublish_stale, kUnpublish, broker, [&](Run& run) {
        run.with(session.now - params.stale_published, session.now, params.rows_max);
      });
    case Sweep::promote:
      return promote_lines(session, params);
    case Sweep::retain:
      return delete_finished(session, params);
    case Sweep::keys:
      return delete_keys(session, params);
    case Sweep::reports:
      return delete_unmatched_reports(session, params);
    case Sweep::flow:
      return delete_flow(session, params);
  }
  return {};
}

}  // namespace eilbote::sqlite
