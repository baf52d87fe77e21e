// Pools as people and the configuration set them, and the groups that wait for people. Called by the registry on PostgreSQL,
// and when the store is opened.
#include "store/postgres/operations.h"
#include "store/registry_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

Params pool_params(const Pool& pool) {
  Params params;
  params.add(pool.code).add(pool.name.empty() ? pool.code : pool.name);
  if (pool.rate_limit_per_minute)
    params.add(static_cast<std::int32_t>(*pool.rate_limit_per_minute));
  else
    params.add_null(Type::int4);
  params.add(static_cast<std::int32_t>(pool.burst))
      .add(static_cast<std::int32_t>(pool.concurrency))
      .add(kPoolStatusNames.text(pool.status))
      .add(pool.limited);
  return params;
}

// Runs the statement with the audit record in one transaction; false when it found nothing to do.
Result<bool> write_with_audit(Connection& connection, const sql::Text& statement, const Pool& pool,
                              const AuditEntry& audit) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&statement, pool_params(pool)});
  auto written = connection.run(calls);
  if (!written) return fail(written.error());
  const bool found = !written->back().empty();
  calls.clear();
  if (found) calls.push_back(registry_audit(audit));
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  return found;
}

}  // namespace

Result<std::vector<PoolRow>> list_pools(Connection& connection) {
  auto rows = connection.run(q::list_pools);
  if (!rows) return fail(rows.error());
  std::vector<PoolRow> pools;
  for (const Row row : *rows)
    pools.push_back(read_pool(row));
  return pools;
}

Result<bool> add_pool(Connection& connection, const Pool& pool, const AuditEntry& audit) {
  return write_with_audit(connection, q::add_pool, pool, audit);
}

Result<bool> change_pool(Connection& connection, const Pool& pool, const AuditEntry& audit) {
  return write_with_audit(connection, q::change_pool, pool, audit);
}

Result<void> write_pools(Connection& connection, std::span<const Pool> pools) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back({&q::limit_lock_wait, {}});
  for (const Pool& pool : pools)
    calls.push_back({&q::write_pool, pool_params(pool)});
  calls.push_back({&q::commit_transaction, {}});
  if (auto written = connection.run(calls); !written) return fail(written.error());
  return {};
}

Result<std::vector<BlockedGroup>> blocked_groups(Connection& connection, const BlockedGroupQuery& query) {
  Params params;
  if (query.client)
    params.add(query.client->value());
  else
    params.add_null(Type::text);
  params.add(query.group).add(static_cast<std::int32_t>(query.limit)).add(kCountExactMax + 1);
  auto rows = connection.run(q::blocked_groups, std::move(params));
  if (!rows) return fail(rows.error());
  std::vector<BlockedGroup> groups;
  for (const Row row : *rows)
    groups.push_back(read_blocked_group(row));
  return groups;
}

}  // namespace eilbote::postgres
