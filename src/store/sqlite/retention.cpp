// Retention: finished jobs go, with everything that was kept about them. Their idempotency keys have a shorter life of
// their own.
#include "domain/flow.h"
#include "store/row_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

struct Finished {
  JobId id;
  std::vector<std::int64_t> facets;
};

std::vector<Finished> find_finished(Session& session, JobStatus status, TimePoint before, int rows_max) {
  std::vector<Finished> jobs;
  Run run = session.database.run(q::find_finished);
  for (run.with(kJobStatusNames.text(status), before, rows_max); run.row();)
    jobs.push_back({JobId{run.int8(0)}, read_facets(run)});
  return jobs;
}

void delete_job(Session& session, const Finished& job) {
  for (const std::int64_t facet : job.facets)
    session.database.run(q::delete_finished_facets).with(facet, job.id).done();
  for (const sql::Text* statement :
       {&q::delete_new_facets, &q::delete_finished_mail_status, &q::delete_finished_attempts,
        &q::delete_finished_recipients, &q::delete_finished_drafts, &q::delete_finished_reports,
        &q::delete_finished_messages, &q::delete_finished_webhooks, &q::delete_finished_outbox})
    session.database.run(*statement).with(job.id).done();
}

}  // namespace

SweepResult delete_finished(Session& session, const SweepParams& params) {
  SweepResult result;
  for (const JobStatus status : {JobStatus::sent, JobStatus::cancelled, JobStatus::failed}) {
    const Duration kept = status == JobStatus::failed ? params.retention_dead : params.retention;
    const int room = params.rows_max - result.changed;
    if (room <= 0) break;
    for (const Finished& job : find_finished(session, status, session.now - kept, room)) {
      delete_job(session, job);
      ++result.changed;
    }
  }
  result.more = result.changed >= params.rows_max;
  return result;
}

SweepResult delete_keys(Session& session, const SweepParams& params) {
  SweepResult result;
  result.changed = session.database.run(q::delete_keys).with(session.now, params.rows_max).done();
  result.more = result.changed >= params.rows_max;
  return result;
}

SweepResult delete_unmatched_reports(Session& session, const SweepParams& params) {
  SweepResult result;
  result.changed = session.database.run(q::delete_unmatched_reports)
                       .with(session.now - params.retention, params.rows_max)
                       .done();
  result.more = result.changed >= params.rows_max;
  return result;
}

SweepResult delete_flow(Session& session, const SweepParams& params) {
  SweepResult result;
  result.changed = session.database.run(q::delete_flow).with(session.now - kFlowKept, params.rows_max).done();
  result.more = result.changed >= params.rows_max;
  return result;
}

}  // namespace eilbote::sqlite
