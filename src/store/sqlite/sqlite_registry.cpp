// The registry on SQLite: hands each operation to the outbox's writer or one of its readers. What the operations do is
// in the registry_*.cpp files.
#include "store/sqlite/operations.h"
#include "store/sqlite/parts.h"

namespace eilbote::sqlite {
namespace {

class SqliteRegistry final : public Registry {
 public:
  explicit SqliteRegistry(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  Result<bool> add_account(const ServiceAccount& account, const AuditEntry& audit) override {
    return writer().run([&](Session& session) { return sqlite::add_account(session, account, audit); });
  }
  Result<bool> change_account(const ServiceAccount& account, TimePoint changed_at,
                              const AuditEntry& audit) override {
    return writer().run(
        [&](Session& session) { return sqlite::change_account(session, account, changed_at, audit); });
  }
  Result<std::vector<ServiceAccount>> accounts() override {
    return readers().read([](Reading& reading) { return sqlite::accounts(reading); });
  }
  Result<void> account_used(JobId id, TimePoint at) override {
    return writer().run([&](Session& session) { sqlite::account_used(session, id, at); });
  }

  Result<void> add_schema(const PayloadSchema& schema, const AuditEntry& audit) override {
    return writer().run([&](Session& session) { sqlite::add_schema(session, schema, audit); });
  }
  Result<std::vector<PayloadSchema>> schemas() override {
    return readers().read([](Reading& reading) { return sqlite::schemas(reading); });
  }

  Result<std::vector<PoolRow>> pools() override {
    return readers().read([](Reading& reading) { return sqlite::list_pools(reading); });
  }
  Result<bool> add_pool(const Pool& pool, const AuditEntry& audit) override {
    return writer().run([&](Session& session) { return sqlite::add_pool(session, pool, audit); });
  }
  Result<bool> change_pool(const Pool& pool, const AuditEntry& audit) override {
    return writer().run([&](Session& session) { return sqlite::change_pool(session, pool, audit); });
  }
  Result<void> write_pools(std::span<const Pool> pools) override {
    return writer().run([&](Session& session) { sqlite::write_pools(session.database, pools, session.now); });
  }
  Result<void> add_audit(const AuditEntry& audit) override {
    return writer().run([&](Session& session) { sqlite::write_audit(session, audit); });
  }
  Result<std::vector<AuditRecord>> audit(const AuditQuery& query) override {
    return readers().read([&](Reading& reading) { return sqlite::list_audit(reading, query); });
  }
  Result<std::vector<BlockedGroup>> blocked_groups(const BlockedGroupQuery& query) override {
    return readers().read([&](Reading& reading) { return sqlite::blocked_groups(reading, query); });
  }
  Result<QueueView> queue() override {
    return readers().read([](Reading& reading) { return sqlite::queue(reading); });
  }

 private:
  Writer& writer() { return *parts_->writer; }
  Readers& readers() { return *parts_->readers; }

  std::shared_ptr<Parts> parts_;  // with the outbox
};

}  // namespace

std::unique_ptr<Registry> make_registry(std::shared_ptr<Parts> parts) {
  return std::make_unique<SqliteRegistry>(std::move(parts));
}

}  // namespace eilbote::sqlite
