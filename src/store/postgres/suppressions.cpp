// The suppression list on PostgreSQL; shares the outbox's connections. A change by a person is one transaction with its audit
// record; what bounces puts on the list is written by reports.cpp.
#include "ports/suppression_list.h"

#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"
#include "store/report_rows.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

// Runs the statement with the audit record in one transaction; false when it found nothing to do.
Result<bool> change_with_audit(Connection& connection, Call change, const AuditEntry& audit) {
  Calls calls;
  calls.push_back({&q::begin_transaction, {}});
  calls.push_back(std::move(change));
  auto changed = connection.run(calls);
  if (!changed) return fail(changed.error());
  const bool found = !changed->back().empty();
  calls.clear();
  if (found) calls.push_back(registry_audit(audit));
  calls.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(calls); !done) return fail(done.error());
  return found;
}

Result<bool> add(Connection& connection, Directory& directory, const Suppression& entry,
                 const AuditEntry& audit) {
  const auto client = directory.ensure_client(connection, entry.client);
  if (!client) return fail(client.error());
  Params params;
  params.add(*client).add(entry.address).add(entry.reason);
  entry.job ? params.add(entry.job->value()) : params.add_null(Type::int8);
  return change_with_audit(connection, {&q::insert_suppression, std::move(params)}, audit);
}

Result<bool> remove(Connection& connection, const ClientName& client, const std::string& address,
                    const AuditEntry& audit) {
  Params params;
  params.add(client.value()).add(address);
  return change_with_audit(connection, {&q::delete_suppression, std::move(params)}, audit);
}

Result<std::vector<Suppression>> list(Connection& connection, const SuppressionQuery& query) {
  Params params;
  query.client ? params.add(query.client->value()) : params.add_null(Type::text);
  params.add(query.address);
  if (query.after)
    params.add(query.after->first.value()).add(query.after->second);
  else
    params.add_null(Type::text).add_null(Type::text);
  params.add(static_cast<std::int32_t>(query.limit));
  auto rows = connection.run(q::list_suppressions, std::move(params));
  if (!rows) return fail(rows.error());
  std::vector<Suppression> entries;
  for (const Row row : *rows)
    entries.push_back(read_suppression(row));
  return entries;
}

class PostgresSuppressions final : public SuppressionList {
 public:
  explicit PostgresSuppressions(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<std::vector<Suppression>> suppressions(const SuppressionQuery& query) override {
    return pool_->with_connection([&](Connection& c) { return list(c, query); });
  }
  Result<bool> suppress(const Suppression& entry, const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return add(c, directory_, entry, audit); });
  }
  Result<bool> unsuppress(const ClientName& client, const std::string& address,
                          const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return remove(c, client, address, audit); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
  Directory directory_;                   // of its own: only who is new to the list is asked for
};

}  // namespace

std::unique_ptr<SuppressionList> make_suppressions(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresSuppressions>(std::move(pool));
}

}  // namespace eilbote::postgres
