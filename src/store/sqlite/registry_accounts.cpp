// Service accounts. A change carries the time the account was read with, and comes to nothing when that is old.
#include "store/registry_readers.h"
#include "store/sqlite/operations.h"

namespace eilbote::sqlite {

namespace q = sql::sqlite;

bool add_account(Session& session, const ServiceAccount& account, const AuditEntry& audit) {
  const std::string body = account_to_json(account);
  const bool added = session.database.run(q::insert_account)
                         .with(account.id, account.code, body, account.created_at)
                         .done() == 1;
  if (added) write_audit(session, audit);
  return added;
}

bool change_account(Session& session, const ServiceAccount& account, TimePoint changed_at,
                    const AuditEntry& audit) {
  const std::string body = account_to_json(account);
  const bool changed =
      session.database.run(q::change_account).with(account.id, account.updated_at, body, changed_at).done() ==
      1;
  if (changed) write_audit(session, audit);
  return changed;
}

std::vector<ServiceAccount> accounts(Reading& reading) {
  std::vector<ServiceAccount> all;
  Run run = reading.database.run(q::find_accounts);
  while (run.row()) {
    auto account = read_account(run);
    if (!account) {
      reading.database.fail_with(account.error());
      break;
    }
    all.push_back(std::move(*account));
  }
  return all;
}

void account_used(Session& session, JobId id, TimePoint at) {
  session.database.run(q::account_used).with(id, at).done();
}

}  // namespace eilbote::sqlite
