// The audit log: what people did, beside what was done. Called by the registry on PostgreSQL; acts.cpp writes those on jobs.
#include "store/postgres/operations.h"
#include "store/registry_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

template <class T>
void add_or_null(Params& params, const std::optional<T>& value, Type type) {
  if (value)
    params.add(*value);
  else
    params.add_null(type);
}

}  // namespace

Call registry_audit(const AuditEntry& audit) {
  Params params;
  params.add(audit.actor).add(audit.act);
  add_or_null(params, audit.job ? std::optional(audit.job->value()) : std::nullopt, Type::int8);
  params.add_json(audit.detail).add(audit.trace_id).add(audit.target);
  return {&q::insert_audit, std::move(params)};
}

Result<void> add_audit(Connection& connection, const AuditEntry& audit) {
  Calls calls;
  calls.push_back(registry_audit(audit));
  if (auto done = connection.run(calls); !done) return fail(done.error());
  return {};
}

Result<std::vector<AuditRecord>> list_audit(Connection& connection, const AuditQuery& query) {
  Params params;
  params.add(query.actor).add(query.act).add(query.target);
  add_or_null(params, query.job ? std::optional(query.job->value()) : std::nullopt, Type::int8);
  add_or_null(params, query.from, Type::timestamptz);
  add_or_null(params, query.to, Type::timestamptz);
  add_or_null(params, query.before, Type::int8);
  params.add(static_cast<std::int32_t>(query.limit));
  const auto rows = connection.run(q::list_audit, std::move(params));
  if (!rows) return fail(rows.error());
  std::vector<AuditRecord> records;
  for (const Row row : *rows)
    records.push_back(read_audit(row));
  return records;
}

}  // namespace eilbote::postgres
