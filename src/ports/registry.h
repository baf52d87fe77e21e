// The registry: what people set up and jobs refer to, in the same database as the outbox. Small tables, read whole.
// The rules of ports/outbox.h hold here too: blocking, one transaction each, safe from many threads.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/job.h"
#include "domain/pool.h"
#include "domain/service_account.h"
#include "domain/tsid.h"

namespace eilbote {

struct PayloadSchema {
  JobId id;  // a TSID like a job's
  std::string name;
  std::string description;
  std::string content;  // JSON Schema, as given
  TimePoint created_at{};
};

struct PoolRow {
  int number = 0;  // its id in the database; shown as a TSID's text
  Pool pool;
  TimePoint updated_at{};
};

// The pool of this code, else of this id: a code may look like an id, and codes are what people write. Null: there is
// none. What a job names and what a person names is found here alike.
inline const PoolRow* find_pool(std::span<const PoolRow> pools, std::string_view code_or_id) {
  for (const PoolRow& row : pools)
    if (row.pool.code == code_or_id) return &row;
  const auto id = parse_job_id(code_or_id);
  for (const PoolRow& row : pools)
    if (id && id->value() == row.number) return &row;
  return nullptr;
}

// The account of this id, else of this code; null: there is none.
inline const ServiceAccount* find_account(std::span<const ServiceAccount> accounts,
                                          std::string_view id_or_code) {
  const auto id = parse_job_id(id_or_code);
  for (const ServiceAccount& account : accounts)
    if (id && account.id == *id) return &account;
  for (const ServiceAccount& account : accounts)
    if (account.code == id_or_code) return &account;
  return nullptr;
}

// A group whose job in turn is dead and keeps the turn until a person acts.
struct BlockedGroup {
  ChannelKind channel = ChannelKind::webhook;
  ClientName client;
  std::string group;
  JobId blocking;            // the dead job
  std::string last_error;    // its own
  TimePoint since{};         // when it died
  std::int64_t waiting = 0;  // behind it; exact to kCountExactMax, then one more for "more"
};

// Every part that is set must match.
struct BlockedGroupQuery {
  std::optional<ClientName> client{};  // absent: all clients
  std::string group{};                 // empty: any
  int limit = 100;
};

// How long a job is due already, as the queue is shown: less than each of these, and longer than the last.
inline constexpr std::array<Duration, 5> kQueueAges{std::chrono::minutes{1}, std::chrono::minutes{5},
                                                    std::chrono::minutes{15}, std::chrono::hours{1},
                                                    std::chrono::hours{4}};

// What waits in a pool. Each count is exact to kCountExactMax, then one more for "more".
struct PoolQueue {
  std::string pool;
  std::int64_t waiting = 0;  // due or not
  std::array<std::int64_t, kQueueAges.size() + 1> due{};
  std::optional<TimePoint> oldest;  // since when the oldest is due
  // Of the latest attempt that failed, among jobs that wait for another; empty: none failed.
  std::string last_error;
  std::optional<TimePoint> last_error_at;
};
struct QueueView {
  std::vector<PoolQueue> pools;  // by code
  TimePoint now{};
};

// What somebody did, for the audit log.
struct AuditEntry {
  std::string actor;   // the token's client and subject; kOperatorActor without identity
  std::string act;     // "pool.suspend"
  std::string detail;  // JSON object, without secrets: before and after
  std::string trace_id;
  std::string target{};  // "pool:mail", "account:acme"; empty when it is a job
  std::optional<JobId> job{};
};

// An entry as it is on record. Acts that change jobs are written by the outbox, with the change.
struct AuditRecord {
  std::int64_t number = 0;  // ascending
  TimePoint at{};
  AuditEntry entry;
};

// Every part that is set must match.
struct AuditQuery {
  std::string actor{}, act{}, target{};   // empty: any
  std::optional<JobId> job{};             // acts on this job
  std::optional<TimePoint> from{}, to{};  // from <= at < to
  std::optional<std::int64_t> before{};   // numbers below
  int limit = 50;
};

class Registry {
 public:
  virtual ~Registry() = default;

  // False: the code is taken.
  virtual Result<bool> add_account(const ServiceAccount& account, const AuditEntry& audit) = 0;
  // Writes every field but last_used_at; false: changed by somebody since `account.updated_at` was read, or gone.
  // `changed_at` becomes the new updated_at.
  virtual Result<bool> change_account(const ServiceAccount& account, TimePoint changed_at,
                                      const AuditEntry& audit) = 0;
  virtual Result<std::vector<ServiceAccount>> accounts() = 0;  // by code
  virtual Result<void> account_used(JobId id, TimePoint at) = 0;

  virtual Result<void> add_schema(const PayloadSchema& schema, const AuditEntry& audit) = 0;
  virtual Result<std::vector<PayloadSchema>> schemas() = 0;  // newest first

  virtual Result<std::vector<PoolRow>> pools() = 0;  // by code
  // False: the code is taken.
  virtual Result<bool> add_pool(const Pool& pool, const AuditEntry& audit) = 0;
  // By code; false: there is none.
  virtual Result<bool> change_pool(const Pool& pool, const AuditEntry& audit) = 0;
  // As the configuration has them: makes those that are missing and changes the others, but one that people changed stays as
  // they left it.
  virtual Result<void> write_pools(std::span<const Pool> pools) = 0;

  // For what is not in the registry itself, such as a breaker, and for what was only read.
  virtual Result<void> add_audit(const AuditEntry& audit) = 0;
  // The newest first.
  virtual Result<std::vector<AuditRecord>> audit(const AuditQuery& query) = 0;

  // Blocked groups, the longest blocked first.
  virtual Result<std::vector<BlockedGroup>> blocked_groups(const BlockedGroupQuery& query) = 0;

  // The queue by pool and age. A read without a transaction: its numbers may be of slightly different moments. What it costs
  // grows with lanes and with what is due, up to the bound it counts to, and never with history.
  virtual Result<QueueView> queue() = 0;
};

}  // namespace eilbote
