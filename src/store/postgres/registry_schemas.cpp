// Payload schemas: added and read, never changed, because jobs were checked against them.
#include "store/postgres/operations.h"
#include "store/registry_readers.h"

namespace eilbote::postgres {

namespace q = sql::postgres;

Result<void> add_schema(Connection& connection, const PayloadSchema& schema, const AuditEntry& audit) {
  Params params;
  params.add(schema.id.value())
      .add(schema.name)
      .add(schema.description)
      .add(schema.content)
      .add(schema.created_at);
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::insert_schema, std::move(params)});
  calls.push_back(registry_audit(audit));
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  return {};
}

Result<std::vector<PayloadSchema>> schemas(Connection& connection) {
  const auto rows = connection.run(q::find_schemas);
  if (!rows) return fail(rows.error());
  std::vector<PayloadSchema> all;
  for (const Row row : *rows)
    all.push_back(read_schema(row));
  return all;
}

}  // namespace eilbote::postgres
