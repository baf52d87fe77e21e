// The audit log: what people did, beside what was done. Called by the registry on SQLite; acts.cpp writes those on jobs.
#include <limits>

#include "store/registry_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

void write_audit(Session& session, const AuditEntry& audit) {
  session.database.run(q::insert_audit)
      .with(session.now, audit.actor, audit.act, audit.job, audit.detail, audit.trace_id, audit.target)
      .done();
}

std::vector<AuditRecord> list_audit(Reading& reading, const AuditQuery& query) {
  std::vector<AuditRecord> records;
  Run run = reading.database.run(q::list_audit);
  run.with(query.actor, query.act, query.target, query.job, query.from, query.to,
           query.before.value_or(std::numeric_limits<std::int64_t>::max()), query.limit);
  while (run.row())
    records.push_back(read_audit(run));
  return records;
}

}  // namespace eilbote::sqlite
