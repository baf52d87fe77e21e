// Pools as people and the configuration set them, and the groups that wait for people. Called by the registry on SQLite, and
// when the store is opened.
#include "store/registry_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

// Runs the statement; how many rows it changed.
int write_row(Database& database, const sql::Text& statement, const Pool& pool, TimePoint now) {
  return database.run(statement)
      .with(pool.code, pool.name.empty() ? pool.code : pool.name, pool.rate_limit_per_minute, pool.burst,
            pool.concurrency, kPoolStatusNames.text(pool.status), pool.limited, now)
      .done();
}

// With the audit record when it changed something; false when it found nothing to do.
bool write(Session& session, const sql::Text& statement, const Pool& pool, const AuditEntry& audit) {
  if (write_row(session.database, statement, pool, session.now) == 0) return false;
  write_audit(session, audit);
  return true;
}

}  // namespace

std::vector<PoolRow> list_pools(Reading& reading) {
  std::vector<PoolRow> pools;
  for (Run run = reading.database.run(q::list_pools); run.row();)
    pools.push_back(read_pool(run));
  return pools;
}

bool add_pool(Session& session, const Pool& pool, const AuditEntry& audit) {
  return write(session, q::add_pool, pool, audit);
}

bool change_pool(Session& session, const Pool& pool, const AuditEntry& audit) {
  return write(session, q::change_pool, pool, audit);
}

void write_pools(Database& database, std::span<const Pool> pools, TimePoint now) {
  for (const Pool& pool : pools)
    write_row(database, q::write_pool, pool, now);
}

std::vector<BlockedGroup> blocked_groups(Reading& reading, const BlockedGroupQuery& query) {
  std::vector<BlockedGroup> groups;
  Run run = reading.database.run(q::blocked_groups);
  for (run.with(query.client, query.group, query.limit, kCountExactMax + 1); run.row();)
    groups.push_back(read_blocked_group(run));
  return groups;
}

}  // namespace eilbote::sqlite
