// The audit log: how it is written, and GET /audit.
#include "api/audit.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "api/json_out.h"
#include "api/limits.h"
#include "api/query_fields.h"
#include "api/query_parameters.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// A job by its id alone, anything else by its kind and name.
std::string set_target(AuditQuery& query, QueryKey, QueryValue value) {
  query.job = parse_job_id(value);
  return query.job ? "" : set_text(query.target, value, kAuditTextMax);
}

constexpr QueryRow<AuditQuery> kParameters[] = {
    {"actor", [](AuditQuery& q, QueryKey, QueryValue v) { return set_text(q.actor, v, kAuditTextMax); }},
    {"action", [](AuditQuery& q, QueryKey, QueryValue v) { return set_text(q.act, v, kAuditTextMax); }},
    {"target", set_target},
    {"from", [](AuditQuery& q, QueryKey, QueryValue v) { return set_time(q.from, v); }},
    {"to", [](AuditQuery& q, QueryKey, QueryValue v) { return set_time(q.to, v); }},
    {"limit", [](AuditQuery& q, QueryKey, QueryValue v) { return set_page_limit(q.limit, v); }},
    {"cursor", [](AuditQuery& q, QueryKey, QueryValue v) { return set_cursor(q.before, v); }},
};

json::object record_json(const AuditRecord& record) {
  json::object out;
  out["id"] = std::to_string(record.number);
  out["at"] = to_rfc3339(record.at);
  out["actor"] = record.entry.actor;
  out["action"] = record.entry.act;
  out["target"] = record.entry.job ? to_text(*record.entry.job) : record.entry.target;
  boost::system::error_code broken;
  json::value detail = json::parse(record.entry.detail, broken);
  out["detail"] = broken ? json::value(json::object()) : std::move(detail);
  out["traceId"] = record.entry.trace_id;
  return out;
}

}  // namespace

std::vector<std::string_view> audit_parameters() {
  return names_of<AuditQuery>(kParameters);
}

AuditEntry audit_entry(const Call& call, std::string act, std::string target, const json::object& before,
                       const json::object& after) {
  json::object was, is;
  for (const auto& member : after) {
    const json::value* old = before.if_contains(member.key());
    if (old != nullptr && *old == member.value()) continue;
    if (old != nullptr) was[member.key()] = *old;
    is[member.key()] = member.value();
  }
  json::object detail;
  if (!was.empty()) detail["before"] = std::move(was);
  detail["after"] = std::move(is);
  return {call.caller.actor(), std::move(act),    json::serialize(detail),
          call.trace.trace_id, std::move(target), std::nullopt};
}

void list_audit(const CallPtr& call) {
  AuditQuery any;
  any.limit = kPageDefault;
  const auto query = read_query(call->target.query, kParameters, any);
  if (!query) return call->reply(query.error());
  call->on_worker([call, query = *query]() mutable {
    const auto wanted = static_cast<std::size_t>(query.limit++);  // one more says whether there is more
    auto records = call->context.registry.audit(query);
    if (!records) return call->reply(to_problem(records.error()));
    const bool more = records->size() > wanted;
    if (more) records->resize(wanted);
    std::optional<std::string> next;
    if (more) next = std::to_string(records->back().number);
    call->reply_json(200, page_json(*records, record_json, next));
  });
}

}  // namespace eilbote
