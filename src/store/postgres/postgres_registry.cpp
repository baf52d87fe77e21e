// The registry on PostgreSQL: lends each operation one of the outbox's connections. What the operations do is in the
// registry_*.cpp files.
#include "store/postgres/operations.h"
#include "store/postgres/postgres_store.h"

namespace eilbote::postgres {
namespace {

class PostgresRegistry final : public Registry {
 public:
  explicit PostgresRegistry(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  Result<bool> add_account(const ServiceAccount& account, const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return postgres::add_account(c, account, audit); });
  }
  Result<bool> change_account(const ServiceAccount& account, TimePoint changed_at,
                              const AuditEntry& audit) override {
    return pool_->with_connection(
        [&](Connection& c) { return postgres::change_account(c, account, changed_at, audit); });
  }
  Result<std::vector<ServiceAccount>> accounts() override {
    return pool_->with_connection([&](Connection& c) { return postgres::accounts(c); });
  }
  Result<void> account_used(JobId id, TimePoint at) override {
    return pool_->with_connection([&](Connection& c) { return postgres::account_used(c, id, at); });
  }

  Result<void> add_schema(const PayloadSchema& schema, const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return postgres::add_schema(c, schema, audit); });
  }
  Result<std::vector<PayloadSchema>> schemas() override {
    return pool_->with_connection([&](Connection& c) { return postgres::schemas(c); });
  }

  Result<std::vector<PoolRow>> pools() override {
    return pool_->with_connection([&](Connection& c) { return postgres::list_pools(c); });
  }
  Result<bool> add_pool(const Pool& pool, const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return postgres::add_pool(c, pool, audit); });
  }
  Result<bool> change_pool(const Pool& pool, const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return postgres::change_pool(c, pool, audit); });
  }
  Result<void> write_pools(std::span<const Pool> pools) override {
    return pool_->with_connection([&](Connection& c) { return postgres::write_pools(c, pools); });
  }
  Result<void> add_audit(const AuditEntry& audit) override {
    return pool_->with_connection([&](Connection& c) { return postgres::add_audit(c, audit); });
  }
  Result<std::vector<AuditRecord>> audit(const AuditQuery& query) override {
    return pool_->with_connection([&](Connection& c) { return postgres::list_audit(c, query); });
  }
  Result<std::vector<BlockedGroup>> blocked_groups(const BlockedGroupQuery& query) override {
    return pool_->with_connection([&](Connection& c) { return postgres::blocked_groups(c, query); });
  }
  Result<QueueView> queue() override {
    return pool_->with_connection([&](Connection& c) { return postgres::queue(c); });
  }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // with the outbox
};

}  // namespace

std::unique_ptr<Registry> make_registry(std::shared_ptr<ConnectionPool> pool) {
  return std::make_unique<PostgresRegistry>(std::move(pool));
}

}  // namespace eilbote::postgres
