// The audit log: how it is written, and GET /audit.
#include "api/audit.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>

#include "api/handlers.h"
#include "api/limits.h"
#include "api/list_filter.h"
#include "api/query_parameters.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// What is wrong with a value; empty: nothing.
using SetParameter = std::string (*)(AuditQuery& query, const std::string& value);

std::string set_text(std::string& into, const std::string& value) {
  if (value.empty() || value.size() > kAuditTextMax)
    return fmt::format("must have 1 to {} bytes", kAuditTextMax);
  into = value;
  return "";
}

std::string set_time(std::optional<TimePoint>& into, const std::string& value) {
  into = parse_rfc3339(value);
  return into ? "" : "must be an RFC 3339 time such as 2026-11-15T21:00:00Z";
}

// A job by its id alone, anything else by its kind and name.
std::string set_target(AuditQuery& query, const std::string& value) {
  query.job = parse_job_id(value);
  return query.job ? "" : set_text(query.target, value);
}

std::string set_cursor(AuditQuery& query, const std::string& value) {
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), query.before.emplace());
  const bool whole = error == std::errc{} && end == value.data() + value.size() && *query.before > 0;
  return whole ? "" : "must be the nextCursor of an earlier page";
}

constexpr std::pair<std::string_view, SetParameter> kParameters[] = {
    {"actor", [](AuditQuery& q, const std::string& v) { return set_text(q.actor, v); }},
    {"action", [](AuditQuery& q, const std::string& v) { return set_text(q.act, v); }},
    {"target", set_target},
    {"from", [](AuditQuery& q, const std::string& v) { return set_time(q.from, v); }},
    {"to", [](AuditQuery& q, const std::string& v) { return set_time(q.to, v); }},
    {"limit", [](AuditQuery& q, const std::string& v) { return set_page_limit(q.limit, v); }},
    {"cursor", set_cursor},
};

Fault unknown_parameter(const std::string& name) {
  const std::string close = nearest(name, audit_parameters());
  return {"", fmt::format("unknown query parameter '{}'{}", utf8_prefix(name, 64),
                          close.empty() ? "" : fmt::format("; did you mean '{}'?", close))};
}

tl::expected<AuditQuery, Problem> read_query(const Call& call) {
  const auto pairs = parse_query(call.target.query);
  if (!pairs) return tl::unexpected(to_problem(pairs.error()));
  AuditQuery query;
  query.limit = kPageDefault;
  std::vector<Fault> faults;
  for (const auto& [name, value] : *pairs) {
    const auto* row = std::find_if(std::begin(kParameters), std::end(kParameters),
                                   [&name = name](const auto& known) { return known.first == name; });
    if (row == std::end(kParameters))
      faults.push_back(unknown_parameter(name));
    else if (const std::string wrong = row->second(query, value); !wrong.empty())
      faults.push_back({"", fmt::format("query parameter '{}' {}", name, wrong)});
  }
  if (!faults.empty()) return tl::unexpected(invalid(std::move(faults)));
  return query;
}

json::object record_json(const AuditRecord& record) {
  json::object out;
  out["id"] = std::to_string(record.number);
  out["at"] = to_rfc3339(record.at);
  out["actor"] = record.entry.actor;
  out["action"] = record.entry.act;
  out["target"] = record.job ? to_text(*record.job) : record.entry.target;
  boost::system::error_code broken;
  json::value detail = json::parse(record.entry.detail, broken);
  out["detail"] = broken ? json::value(json::object()) : std::move(detail);
  out["traceId"] = record.entry.trace_id;
  return out;
}

}  // namespace

std::vector<std::string_view> audit_parameters() {
  std::vector<std::string_view> names;
  for (const auto& parameter : kParameters)
    names.push_back(parameter.first);
  return names;
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
  return {call.caller.actor(), std::move(act), json::serialize(detail), call.trace.trace_id,
          std::move(target)};
}

void list_audit(const CallPtr& call) {
  const auto query = read_query(*call);
  if (!query) return call->reply(query.error());
  call->on_worker([call, query = *query]() mutable {
    const auto wanted = static_cast<std::size_t>(query.limit++);  // one more says whether there is more
    auto records = call->context.registry.audit(query);
    if (!records) return call->reply(to_problem(records.error()));
    const bool more = records->size() > wanted;
    if (more) records->resize(wanted);
    json::object body;
    json::array& rows = (body["data"] = json::array()).get_array();
    for (const AuditRecord& record : *records)
      rows.push_back(record_json(record));
    body["nextCursor"] = more ? json::value(std::to_string(records->back().number)) : json::value(nullptr);
    call->reply_json(200, json::serialize(body));
  });
}

}  // namespace eilbote
