// Upkeep sweeps that move rows on. None of them waits for a row (SKIP LOCKED), and none holds a row while it
// asks for a group's lock: the turn a job gave up is passed on in a second, small transaction. A crash in
// between leaves a group without a turn, which the promote sweep finds.
#include <set>

#include "domain/after_attempt.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/operations.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

std::vector<SweptJob> swept_by(const Rows& rows) {
  std::vector<SweptJob> swept;
  for (const Row row : rows)
    swept.push_back(read_swept(row));
  return swept;
}

// What a sweep has moved so far.
class Swept {
 public:
  void add(const std::vector<SweptJob>& jobs) {
    for (const SweptJob& job : jobs) {
      ++changed_;
      if (job.status == JobStatus::queued) lanes_.insert(job.lane);
      if (job.status == JobStatus::failed) dead_.push_back({job.id, job.channel, job.retry_count});
      if (is_dead_mail(job)) ++failed_mails_;
      if (job.group) groups_.insert(*job.group);
    }
  }
  const std::set<std::int64_t>& groups() const { return groups_; }
  void add_lanes(const std::vector<LaneId>& lanes) { lanes_.insert(lanes.begin(), lanes.end()); }
  SweepResult result(int rows_max) const {
    return {changed_,
            static_cast<int>(dead_.size()),
            failed_mails_,
            changed_ >= rows_max,
            {lanes_.begin(), lanes_.end()},
            dead_};
  }
  int changed() const { return changed_; }

 private:
  int changed_ = 0, failed_mails_ = 0;
  std::vector<DeadJob> dead_;
  std::set<LaneId> lanes_;
  std::set<std::int64_t> groups_;
};

// The events of what was moved, and what follows for the recipients of a mail that has ended.
void add_event_calls(Calls& calls, const std::vector<SweptJob>& jobs, const Move& move, bool broker) {
  EventRows events;
  std::vector<JobId> sent;
  for (const SweptJob& job : jobs) {
    if (job.status == JobStatus::sent) sent.push_back(job.id);
    if (const auto event = event_of_sweep(job, move, broker)) events.add(job.id.value(), *event);
  }
  std::move(events).write(calls);
  if (sent.empty()) return;
  calls.push_back({&q::refuse_waiting, std::move(Params().add(int8_array(sent)).add(move.reason))});
  calls.push_back(report_sent_call(sent));
}

// One moving statement with its events, in one transaction.
Result<void> move_rows(Connection& connection, const sql::Text& statement, const Move& move, Params params,
                       bool broker, Swept& swept) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&statement, std::move(params)});
  auto moved = connection.run(calls);
  if (!moved) return fail(moved.error());
  const std::vector<SweptJob> jobs = swept_by(moved->back());
  calls.clear();
  add_event_calls(calls, jobs, move, broker);
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  swept.add(jobs);
  return {};
}

Result<SweepResult> finish(Connection& connection, Swept swept, int rows_max) {
  if (!swept.groups().empty()) {
    auto lanes = promote(connection, {swept.groups().begin(), swept.groups().end()});
    if (!lanes) return fail(lanes.error());
    swept.add_lanes(*lanes);
  }
  return swept.result(rows_max);
}

Result<SweepResult> sweep_once(Connection& connection, const sql::Text& statement, const Move& move,
                               Params params, bool broker, int rows_max) {
  Swept swept;
  if (auto moved = move_rows(connection, statement, move, std::move(params), broker, swept); !moved)
    return fail(moved.error());
  return finish(connection, std::move(swept), rows_max);
}

Result<SweepResult> sweep_promote(Connection& connection, int rows_max) {
  auto lines = connection.run(q::lines_due, std::move(Params().add(rows_max)));
  if (!lines) return fail(lines.error());
  std::vector<std::int64_t> groups;
  for (const Row row : *lines)
    groups.push_back(row.int8(0));
  SweepResult result;
  result.more = lines->size() >= rows_max;
  if (groups.empty()) return result;
  auto lanes = promote(connection, std::move(groups));
  if (!lanes) return fail(lanes.error());
  result.changed = static_cast<int>(lanes->size());
  const std::set<LaneId> distinct(lanes->begin(), lanes->end());
  result.lanes.assign(distinct.begin(), distinct.end());
  return result;
}

}  // namespace

Result<SweepResult> rescue(Connection& connection, const RescueParams& params, bool broker) {
  const int rows_max = params.rows_max;
  const auto dead = dead_epochs(connection, params.of_instance);
  if (!dead) return fail(dead.error());
  Swept swept;
  for (const Epoch epoch : *dead) {
    const LeaseTokens range = tokens_of(epoch);
    const int before = swept.changed(), room = rows_max - before;
    if (room <= 0) break;
    Params values;
    values.add(range.first)
        .add(range.last)
        .add(room)
        .add(kLeaseLossesMax)
        .add(kRescue.reason)
        .add(params.spare_mails)
        .add(int8_array(params.spare));
    if (auto moved = move_rows(connection, q::rescue_dead, kRescue, std::move(values), broker, swept); !moved)
      return fail(moved.error());
    if (swept.changed() - before == room) break;
    auto gone = connection.run(q::delete_instance,
                               std::move(Params().add(epoch.value()).add(range.first).add(range.last)));
    if (!gone) return fail(gone.error());
  }
  return finish(connection, std::move(swept), rows_max);
}

Result<SweepResult> sweep(Connection& connection, const SweepParams& params, bool broker) {
  const std::int32_t rows = params.rows_max;
  switch (params.sweep) {
    case Sweep::rescue_foreign:
      return sweep_once(connection, q::rescue_foreign, kRescue,
                        Params().add(params.foreign_lease).add(rows).add(kLeaseLossesMax).add(kRescue.reason),
                        broker, rows);
    case Sweep::expire:
      return sweep_once(connection, q::expire_due, kExpire, Params().add(rows), broker, rows);
    case Sweep::exhaust:
      return sweep_once(connection, q::exhaust_due, kExhaust, Params().add(rows), broker, rows);
    case Sweep::unpublish:
      return sweep_once(connection, q::unpublish_stale, kUnpublish,
                        Params().add(params.stale_published).add(rows), broker, rows);
    case Sweep::promote:
      return sweep_promote(connection, rows);
    case Sweep::retain:
      return delete_finished(connection, params);
    case Sweep::keys:
      return delete_keys(connection, params);
    case Sweep::reports:
      return delete_unmatched_reports(connection, params);
    case Sweep::flow:
      return delete_flow(connection, params);
  }
  return fail(ErrorKind::internal, "no such sweep");
}

}  // namespace eilbote::postgres
