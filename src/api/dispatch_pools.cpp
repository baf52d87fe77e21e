// /dispatch-pools: what people see of pools, and how they change them while everything runs. A change is on the audit
// record in the same transaction; the ledger is woken to learn it.
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_out.h"
#include "api/pool_json.h"
#include "base/log.h"

namespace eilbote {
namespace {

namespace json = boost::json;

const Problem kNoSuchPool{ProblemKind::not_found, "there is no pool with this code or id", {}};

json::object on_record(const Pool& pool) {
  json::object shown = pool_json({.number = 0, .pool = pool});
  shown.erase("id");
  shown.erase("updatedAt");
  return shown;
}

// Without `before` it is new.
AuditEntry audit_of(const Call& call, std::string act, const Pool* before, const Pool& after) {
  return audit_entry(call, std::move(act), "pool:" + after.code,
                     before != nullptr ? on_record(*before) : json::object(), on_record(after));
}

// On a worker: the pool the path names; answers by itself when there is none.
std::optional<PoolRow> pool_or_404(const CallPtr& call) {
  const auto pools = call->context.registry.pools();
  if (!pools) return call->reply(to_problem(pools.error())), std::nullopt;
  const PoolRow* found = find_pool(*pools, call->params.at(0));
  if (found == nullptr) return call->reply(kNoSuchPool), std::nullopt;
  return *found;
}

// Answers with the pool as it is in the database now.
void reply_pool(const CallPtr& call, int status, const std::string& code) {
  const auto pools = call->context.registry.pools();
  if (!pools) return call->reply(to_problem(pools.error()));
  const PoolRow* found = find_pool(*pools, code);
  if (found == nullptr) return call->reply(kNoSuchPool);
  call->reply_json(status, json::serialize(pool_json(*found)));
}

// What this instance works by knows the change at once; the others read it within a second.
void tell(const Call& call) {
  if (const auto read = call.context.pools.refresh(); !read)
    log::warning(
        "a pool was changed but could not be read back; this instance keeps the old limits for a moment",
        {{"error", read.error().message}});
  call.context.due.somewhere();
}

void change(const CallPtr& call, const Pool& before, const Pool& pool, std::string act) {
  const auto changed =
      call->context.registry.change_pool(pool, audit_of(*call, std::move(act), &before, pool));
  if (!changed) return call->reply(to_problem(changed.error()));
  if (!*changed) return call->reply(kNoSuchPool);
  tell(*call);
  reply_pool(call, 200, pool.code);
}

void set_status(const CallPtr& call, PoolStatus status, std::string act) {
  call->on_worker([call, status, act = std::move(act)] {
    const auto row = pool_or_404(call);
    if (!row) return;
    Pool pool = row->pool;
    pool.status = status;
    change(call, row->pool, pool, act);
  });
}

}  // namespace

void list_dispatch_pools(const CallPtr& call) {
  call->on_worker([call] {
    const auto pools = call->context.registry.pools();
    if (!pools) return call->reply(to_problem(pools.error()));
    call->reply_json(200, list_json(*pools, pool_json));
  });
}

void get_dispatch_pool(const CallPtr& call) {
  call->on_worker([call] {
    if (const auto row = pool_or_404(call)) call->reply_json(200, json::serialize(pool_json(*row)));
  });
}

void post_dispatch_pool(const CallPtr& call) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  PoolReading reading = read_new_pool(call->request.body);
  if (reading.problem) return call->reply(*reading.problem);
  call->on_worker([call, pool = std::move(reading.pool)] {
    const auto added = call->context.registry.add_pool(pool, audit_of(*call, "pool.create", nullptr, pool));
    if (!added) return call->reply(to_problem(added.error()));
    if (!*added)
      return call->reply(Problem{ProblemKind::conflict, "there is a pool with this code already", {}});
    tell(*call);
    reply_pool(call, 201, pool.code);
  });
}

void put_dispatch_pool(const CallPtr& call) {
  if (const auto problem = call->content_type_problem()) return call->reply(*problem);
  call->on_worker([call] {
    const auto row = pool_or_404(call);
    if (!row) return;
    const PoolReading reading = read_pool_change(call->request.body, row->pool);
    if (reading.problem) return call->reply(*reading.problem);
    change(call, row->pool, reading.pool, "pool.change");
  });
}

void suspend_dispatch_pool(const CallPtr& call) {
  set_status(call, PoolStatus::SUSPENDED, "pool.suspend");
}

void activate_dispatch_pool(const CallPtr& call) {
  set_status(call, PoolStatus::ACTIVE, "pool.activate");
}

}  // namespace eilbote
