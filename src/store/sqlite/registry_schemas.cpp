// Payload schemas: added and read, never changed, because jobs were checked against them.
#include "store/registry_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

void add_schema(Session& session, const PayloadSchema& schema, const AuditEntry& audit) {
  session.database.run(q::insert_schema)
      .with(schema.id, schema.name, schema.description, schema.content, schema.created_at)
      .done();
  write_audit(session, audit);
}

std::vector<PayloadSchema> schemas(Reading& reading) {
  std::vector<PayloadSchema> all;
  Run run = reading.database.run(q::find_schemas);
  while (run.row())
    all.push_back(read_schema(run));
  return all;
}

}  // namespace eilbote::sqlite
