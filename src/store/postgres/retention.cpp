// Retention: finished jobs, old idempotency keys, old reports without a mail and old totals are deleted in small batches.
#include "domain/flow.h"
#include "store/postgres/operations.h"
#include "store/row_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

}  // namespace

Result<SweepResult> delete_finished(Connection& connection, const SweepParams& params) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back(
      {&q::find_finished,
       std::move(Params().add(params.retention).add(params.retention_dead).add(params.rows_max))});
  auto found = connection.run(calls);
  if (!found) return fail(found.error());
  calls.clear();

  std::vector<JobId> ids;
  Array hash(Type::int8), facet_job(Type::int8);
  for (const Row row : found->back()) {
    ids.push_back(JobId{row.int8(0)});
    for (const std::int64_t facet : read_facets(row)) {
      hash.add(facet);
      facet_job.add(row.int8(0));
    }
  }
  if (!ids.empty()) {
    calls.push_back(
        {&q::delete_finished_facets, std::move(Params().add(std::move(hash)).add(std::move(facet_job)))});
    for (const sql::Text* statement :
         {&q::delete_finished_recipients, &q::delete_finished_attempts, &q::delete_finished_mail_status,
          &q::delete_finished_drafts, &q::delete_finished_reports, &q::delete_finished_messages,
          &q::delete_finished_webhooks, &q::delete_finished_outbox})
      calls.push_back({statement, std::move(Params().add(int8_array(ids)))});
  }
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  SweepResult result;
  result.changed = static_cast<int>(ids.size());
  result.more = result.changed >= params.rows_max;
  return result;
}

Result<SweepResult> delete_keys(Connection& connection, const SweepParams& params) {
  auto deleted = connection.run(q::delete_keys, std::move(Params().add(params.rows_max)));
  if (!deleted) return fail(deleted.error());
  SweepResult result;
  result.changed = deleted->affected();
  result.more = result.changed >= params.rows_max;
  return result;
}

Result<SweepResult> delete_unmatched_reports(Connection& connection, const SweepParams& params) {
  auto deleted = connection.run(q::delete_unmatched_reports,
                                std::move(Params().add(params.retention).add(params.rows_max)));
  if (!deleted) return fail(deleted.error());
  SweepResult result;
  result.changed = deleted->affected();
  result.more = result.changed >= params.rows_max;
  return result;
}

Result<SweepResult> delete_flow(Connection& connection, const SweepParams& params) {
  auto deleted = connection.run(q::delete_flow, std::move(Params().add(kFlowKept).add(params.rows_max)));
  if (!deleted) return fail(deleted.error());
  SweepResult result;
  result.changed = deleted->affected();
  result.more = result.changed >= params.rows_max;
  return result;
}

}  // namespace eilbote::postgres
