// Rows of the registry as values, once for both stores, as row_readers.h does for jobs. Called by registry_*.cpp in
// postgres/ and sqlite/.
#pragma once

#include "ports/registry.h"
#include "store/account_json.h"

namespace eilbote {

// list_pools
template <class Row>
PoolRow read_pool(const Row& row) {
  PoolRow one;
  one.number = row.int4(0);
  one.pool.code = row.text(1);
  one.pool.name = row.text(2);
  if (!row.is_null(3)) one.pool.rate_limit_per_minute = row.int4(3);
  one.pool.burst = row.int4(4);
  one.pool.concurrency = row.int4(5);
  one.pool.limited = row.boolean(6);
  one.pool.status = kPoolStatusNames.parse(row.text(7)).value_or(PoolStatus::ACTIVE);
  one.updated_at = row.time(8);
  return one;
}

// blocked_groups
template <class Row>
BlockedGroup read_blocked_group(const Row& row) {
  return {.channel = kChannelNames.parse(row.text(0)).value_or(ChannelKind::webhook),
          .client = ClientName{std::string(row.text(1))},
          .group = std::string(row.text(2)),
          .blocking = JobId{row.int8(3)},
          .last_error = std::string(row.text(4)),
          .since = row.time(5),
          .waiting = row.int8(6)};
}

// list_audit
template <class Row>
AuditRecord read_audit(const Row& row) {
  AuditRecord record;
  record.number = row.int8(0);
  record.at = row.time(1);
  record.entry.actor = row.text(2);
  record.entry.act = row.text(3);
  if (!row.is_null(4)) record.entry.job = JobId{row.int8(4)};
  record.entry.detail = row.text(5);
  record.entry.trace_id = row.text(6);
  record.entry.target = row.text(7);
  return record;
}

// find_accounts; fails as account_from_json does.
template <class Row>
Result<ServiceAccount> read_account(const Row& row) {
  ServiceAccount account;
  account.id = JobId{row.int8(0)};
  account.code = row.text(1);
  if (auto read = account_from_json(row.text(2), account); !read) return fail(read.error());
  account.last_used_at = row.time_or_none(3);
  account.created_at = row.time(4);
  account.updated_at = row.time(5);
  return account;
}

// find_schemas
template <class Row>
PayloadSchema read_schema(const Row& row) {
  return {JobId{row.int8(0)}, std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3)),
          row.time(4)};
}

}  // namespace eilbote
