// Service accounts. A change carries the time the account was read with, and comes to nothing when that is old.
#include "store/account_json.h"
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
    ServiceAccount account;
    account.id = JobId{run.integer(0)};
    account.code = run.text(1);
    if (auto read = account_from_json(run.text(2), account); !read) {
      reading.database.fail_with(read.error());
      break;
    }
    account.last_used_at = run.time_if_any(3);
    account.created_at = run.time(4);
    account.updated_at = run.time(5);
    all.push_back(std::move(account));
  }
  return all;
}

void account_used(Session& session, JobId id, TimePoint at) {
  session.database.run(q::account_used).with(id, at).done();
}

}  // namespace eilbote::sqlite
