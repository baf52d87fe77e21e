// The audit log: what people did, beside what was done. Called by the registry on SQLite; acts.cpp writes those on jobs.
#include <limits>

#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

void write_audit(Session& session, const AuditEntry& audit) {
  session.database.run(q::insert_audit)
      .with(session.now, audit.actor, audit.act, std::nullopt, audit.detail, audit.trace_id, audit.target)
      .done();
}

std::vector<AuditRecord> list_audit(Reading& reading, const AuditQuery& query) {
  std::vector<AuditRecord> records;
  Run run = reading.database.run(q::list_audit);
  run.with(query.actor, query.act, query.target, query.job, query.from, query.to,
           query.before.value_or(std::numeric_limits<std::int64_t>::max()), query.limit);
  while (run.row()) {
    AuditRecord record;
    record.number = run.integer(0);
    record.at = run.time(1);
    record.entry.actor = run.text(2);
    record.entry.act = run.text(3);
    if (!run.is_null(4)) record.job = JobId{run.integer(4)};
    record.entry.detail = run.text(5);
    record.entry.trace_id = run.text(6);
    record.entry.target = run.text(7);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace eilbote::sqlite
