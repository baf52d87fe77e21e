// Upkeep, one bounded piece at a time: what was lost, what is too late, what is used up, whose turn was
// forgotten.
#include "domain/acts.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/rows.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

constexpr std::string_view kLostTooOften = "worker lost 10 times";
static_assert(kLeaseLossesMax == 10, "the text above names it");
constexpr std::string_view kExpired = "expired";
constexpr std::string_view kUsedUp = "attempts used up";

// A row a sweep changed, as it is now.
struct Swept {
  JobId id;
  LaneId lane;
  std::optional<std::int64_t> group;
  JobStatus status;
  bool tried_before;  // a failure, a deferral or a partial hand-over lies behind it
};

// The columns every sweep's statement answers.
std::vector<Swept> read_swept(Run& run) {
  std::vector<Swept> rows;
  while (run.row()) {
    Swept row;
    row.id = JobId{run.integer(0)};
    row.lane = LaneId{run.small(1)};
    if (!run.is_null(2)) row.group = run.integer(2);
    row.status = kJobStatusNames.parse(run.text(3)).value_or(JobStatus::queued);
    row.tried_before = run.integer(4) > 0 || run.integer(5) > 0 || run.truth(6);
    rows.push_back(row);
  }
  return rows;
}

void event_by_engine(Session& session, JobId id, MailState from, MailState to, std::string_view reason) {
  write_event(session, id,
              StatusEvent{{},
                          std::string(kMailStateNames.text(from)),
                          std::string(kMailStateNames.text(to)),
                          std::string(reason),
                          "engine",
                          ""});
}

// Events, recipients and turns that follow from what a sweep changed.
void follow_up(Session& session, const std::vector<Swept>& rows, std::string_view reason,
               SweepResult& result) {
  Groups groups;
  for (const Swept& row : rows) {
    ++result.changed;
    if (row.group) groups.insert(*row.group);
    const MailState from = row.tried_before ? MailState::RETRY_PENDING : MailState::QUEUED;
    if (row.status == JobStatus::queued) result.lanes.push_back(row.lane);
    if (row.status == JobStatus::failed) {
      ++result.failed;
      event_by_engine(session, row.id, from, MailState::FAILED, reason);
    }
    if (row.status == JobStatus::cancelled) write_event(session, row.id, event_of_stop(std::nullopt));
    if (row.status == JobStatus::sent) {  // some recipient had been taken
      session.database.run(q::refuse_waiting).with(row.id, reason, session.now).done();
      event_by_engine(session, row.id, MailState::RETRY_PENDING, MailState::SENT, reason);
    }
  }
  for (const LaneId lane : promote(session, groups))
    result.lanes.push_back(lane);
}

SweepResult rescue_dead(Session& session, const SweepParams& params) {
  SweepResult result;
  for (const Epoch epoch : dead_epochs(session, params.of_instance)) {
    const TokenRange tokens = tokens_of(epoch);
    std::vector<Swept> rows;
    if (result.changed < params.rows_max) {
      Run run = session.database.run(q::rescue_dead);
      run.with(tokens.first, tokens.last, session.now, kLeaseLossesMax, kLostTooOften,
               params.rows_max - result.changed, params.spare_mails);
      rows = read_swept(run);
    }
    follow_up(session, rows, kLostTooOften, result);
    session.database.run(q::delete_instance).with(epoch, session.now, tokens.first, tokens.last).done();
  }
  result.more = result.changed >= params.rows_max;
  return result;
}

// A sweep of one statement: `with` binds its parameters.
template <class Bind>
SweepResult sweep_once(Session& session, const SweepParams& params, const sql::Text& statement,
                       std::string_view reason, Bind bind) {
  SweepResult result;
  std::vector<Swept> rows;
  {
    Run run = session.database.run(statement);
    bind(run);
    rows = read_swept(run);
  }
  follow_up(session, rows, reason, result);
  result.more = result.changed >= params.rows_max;
  return result;
}

SweepResult promote_lines(Session& session, const SweepParams& params) {
  Groups groups;
  {
    Run run = session.database.run(q::lines_due);
    for (run.with(session.now, params.rows_max); run.row();)
      groups.insert(run.integer(0));
  }
  SweepResult result;
  result.lanes = promote(session, groups);
  result.changed = static_cast<int>(result.lanes.size());
  result.more = static_cast<int>(groups.size()) >= params.rows_max;
  return result;
}

SweepResult delete_keys(Session& session, const SweepParams& params) {
  SweepResult result;
  result.changed = session.database.run(q::delete_keys).with(session.now, params.rows_max).done();
  result.more = result.changed >= params.rows_max;
  return result;
}

}  // namespace

SweepResult sweep(Session& session, const SweepParams& params) {
  switch (params.sweep) {
    case Sweep::rescue_dead:
      return rescue_dead(session, params);
    case Sweep::rescue_foreign:
      return sweep_once(session, params, q::rescue_foreign, kLostTooOften, [&](Run& run) {
        run.with(session.now - params.foreign_lease, session.now, kLeaseLossesMax, kLostTooOften,
                 params.rows_max);
      });
    case Sweep::expire:
      return sweep_once(session, params, q::expire_due, kExpired,
                        [&](Run& run) { run.with(session.now, params.rows_max); });
    case Sweep::exhaust:
      return sweep_once(session, params, q::exhaust_due, kUsedUp,
                        [&](Run& run) { run.with(session.now, params.rows_max); });
    case Sweep::promote:
      return promote_lines(session, params);
    case Sweep::retain:
      return delete_finished(session, params);
    case Sweep::keys:
      return delete_keys(session, params);
  }
  return {};
}

}  // namespace eilbote::sqlite
