// A registry in memory, with faults on demand; for tests of what reads it. Pools are only read, and groups
// are not in it.
#pragma once

#include <atomic>
#include <mutex>

#include "ports/registry.h"

namespace eilbote::test {

class FakeRegistry final : public Registry {
 public:
  std::vector<ServiceAccount> all_accounts;
  std::vector<PayloadSchema> all_schemas;
  std::vector<PoolRow> all_pools;
  std::vector<AuditEntry> audit_entries;
  std::vector<std::pair<JobId, TimePoint>> uses;
  std::atomic<int> account_reads{0}, schema_reads{0};
  std::atomic<bool> away{false};

  Result<bool> add_account(const ServiceAccount& account, const AuditEntry& entry) override {
    if (away) return fail(ErrorKind::unavailable, "away");
    for (const ServiceAccount& other : all_accounts)
      if (other.code == account.code) return false;
    all_accounts.push_back(account);
    audit_entries.push_back(entry);
    return true;
  }
  Result<bool> change_account(const ServiceAccount& account, TimePoint changed_at,
                              const AuditEntry& entry) override {
    if (away) return fail(ErrorKind::unavailable, "away");
    for (ServiceAccount& other : all_accounts) {
      if (other.id != account.id || other.updated_at != account.updated_at) continue;
      other = account;
      other.updated_at = changed_at;
      audit_entries.push_back(entry);
      return true;
    }
    return false;
  }
  Result<std::vector<ServiceAccount>> accounts() override {
    ++account_reads;
    if (away) return fail(ErrorKind::unavailable, "away");
    return all_accounts;
  }
  Result<void> account_used(JobId id, TimePoint at) override {
    if (away) return fail(ErrorKind::unavailable, "away");
    uses.emplace_back(id, at);
    return {};
  }
  Result<void> add_schema(const PayloadSchema& schema, const AuditEntry& entry) override {
    all_schemas.insert(all_schemas.begin(), schema);
    audit_entries.push_back(entry);
    return {};
  }
  Result<std::vector<PayloadSchema>> schemas() override {
    ++schema_reads;
    if (away) return fail(ErrorKind::unavailable, "away");
    return all_schemas;
  }

  Result<std::vector<PoolRow>> pools() override { return all_pools; }
  Result<bool> add_pool(const Pool&, const AuditEntry&) override { return false; }
  Result<bool> change_pool(const Pool&, const AuditEntry&) override { return false; }
  Result<void> write_pools(std::span<const Pool>) override { return {}; }
  Result<void> add_audit(const AuditEntry& entry) override {
    audit_entries.push_back(entry);
    return {};
  }
  Result<std::vector<AuditRecord>> audit(const AuditQuery&) override { return std::vector<AuditRecord>{}; }
  Result<std::vector<BlockedGroup>> blocked_groups(const BlockedGroupQuery&) override {
    return std::vector<BlockedGroup>{};
  }
  Result<QueueView> queue() override { return QueueView{}; }
};

}  // namespace eilbote::test
