// The suppression list on SQLite; shares the outbox's writer and readers. A change by a person is written with its audit
// record; what bounces puts on the list is written by reports.cpp.
#include "ports/suppression_list.h"

#include "store/report_rows.h"
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

namespace q = sql::sqlite;

bool add(Session& session, const Suppression& entry, const AuditEntry& audit) {
  std::int64_t client = 0;
  {
    Run run = session.database.run(q::ensure_client);
    if (run.with(entry.client).row()) client = run.int8(0);
  }
  {
    Run run = session.database.run(q::insert_suppression);
    if (!run.with(client, entry.address, entry.reason, entry.job, session.now).row()) return false;
  }
  write_audit(session, audit);
  return true;
}

bool remove(Session& session, const ClientName& client, const std::string& address, const AuditEntry& audit) {
  {
    Run run = session.database.run(q::delete_suppression);
    if (!run.with(client, address).row()) return false;
  }
  write_audit(session, audit);
  return true;
}

std::vector<Suppression> list(Reading& reading, const SuppressionQuery& query) {
  std::optional<std::string_view> after_client, after_address;
  if (query.after) {
    after_client = query.after->first.value();
    after_address = query.after->second;
  }
  std::vector<Suppression> entries;
  Run run = reading.database.run(q::list_suppressions);
  for (run.with(query.client, query.address, after_client, after_address, query.limit); run.row();)
    entries.push_back(read_suppression(run));
  return entries;
}

class SqliteSuppressions final : public SuppressionList {
 public:
  explicit SqliteSuppressions(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<std::vector<Suppression>> suppressions(const SuppressionQuery& query) override {
    return parts_->readers->read([&](Reading& reading) { return list(reading, query); });
  }
  Result<bool> suppress(const Suppression& entry, const AuditEntry& audit) override {
    return parts_->writer->run([&](Session& session) { return add(session, entry, audit); });
  }
  Result<bool> unsuppress(const ClientName& client, const std::string& address,
                          const AuditEntry& audit) override {
    return parts_->writer->run([&](Session& session) { return remove(session, client, address, audit); });
  }

 private:
  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<SuppressionList> make_suppressions(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteSuppressions>(std::move(parts));
}

}  // namespace eilbote::sqlite
