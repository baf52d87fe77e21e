// Service accounts. A change carries the time the account was read with, and comes to nothing when that is old.
#include "store/postgres/operations.h"
#include "store/registry_readers.h"

namespace eilbote::postgres {
namespace {

namespace q = sql::postgres;

// Runs `write`, and commits it with its audit record if it touched a row. What is not committed the pool takes back.
Result<bool> write_audited(Connection& connection, Call write, const AuditEntry& audit) {
  Calls begin;
  begin.push_back({&q::begin_transaction, {}});
  begin.push_back(std::move(write));
  auto written = connection.run(begin);
  if (!written) return fail(written.error());
  if (written->back().empty()) return false;
  Calls end;
  end.push_back(registry_audit(audit));
  end.push_back({&q::commit_transaction, {}});
  if (auto done = connection.run(end); !done) return fail(done.error());
  return true;
}

}  // namespace

Result<bool> add_account(Connection& connection, const ServiceAccount& account, const AuditEntry& audit) {
  Params params;
  params.add(account.id.value()).add(account.code).add(account_to_json(account)).add(account.created_at);
  return write_audited(connection, {&q::insert_account, std::move(params)}, audit);
}

Result<bool> change_account(Connection& connection, const ServiceAccount& account, TimePoint changed_at,
                            const AuditEntry& audit) {
  Params params;
  params.add(account.id.value()).add(account.updated_at).add(account_to_json(account)).add(changed_at);
  return write_audited(connection, {&q::change_account, std::move(params)}, audit);
}

Result<std::vector<ServiceAccount>> accounts(Connection& connection) {
  const auto rows = connection.run(q::find_accounts);
  if (!rows) return fail(rows.error());
  std::vector<ServiceAccount> all;
  for (const Row row : *rows) {
    auto account = read_account(row);
    if (!account) return fail(account.error());
    all.push_back(std::move(*account));
  }
  return all;
}

Result<void> account_used(Connection& connection, JobId id, TimePoint at) {
  auto done = connection.run(q::account_used, std::move(Params().add(id.value()).add(at)));
  if (!done) return fail(done.error());
  return {};
}

}  // namespace eilbote::postgres
