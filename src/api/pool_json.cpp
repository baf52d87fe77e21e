#include "api/pool_json.h"

#include <boost/json/value.hpp>

#include "api/json_document.h"
#include "api/json_fields.h"
#include "base/time.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

namespace json = boost::json;

struct PoolDraft {
  Pool pool;
  bool has_code = false, has_name = false;
  bool concurrency_set = false;    // given as a number
  bool concurrency_freed = false;  // given as null
};

void read_code(PoolDraft& draft, const json::value& value, const Place& place) {
  draft.has_code = true;
  draft.pool.code = read_text(value, place).value_or("");
}

void read_name(PoolDraft& draft, const json::value& value, const Place& place) {
  draft.has_name = true;
  draft.pool.name = read_text(value, place).value_or("");
}

// The number, or what it was after having said what is wrong.
int read_limit(const json::value& value, const Place& place, int most, int before) {
  return static_cast<int>(read_integer(value, place, 1, most).value_or(before));
}

void read_rate(PoolDraft& draft, const json::value& value, const Place& place) {
  if (value.is_null())
    draft.pool.rate_limit_per_minute.reset();
  else
    draft.pool.rate_limit_per_minute = read_limit(value, place, kPoolRateMax, 1);
}

void read_concurrency(PoolDraft& draft, const json::value& value, const Place& place) {
  draft.concurrency_freed = value.is_null();
  draft.concurrency_set = !value.is_null();
  draft.pool.concurrency = value.is_null()
                               ? Pool{}.concurrency
                               : read_limit(value, place, kPoolConcurrencyMax, draft.pool.concurrency);
}

constexpr FieldRow<PoolDraft> kPoolFields[] = {
    {"code", read_code},
    {"name", read_name},
    {"rateLimitPerMinute", read_rate},
    {"burst", [](PoolDraft& d, const json::value& v,
                 const Place& p) { d.pool.burst = read_limit(v, p, kPoolBurstMax, d.pool.burst); }},
    {"concurrency", read_concurrency},
};

// Reads the body over `draft`; a problem only when it is no JSON object at all.
std::optional<Problem> read(std::string_view body, PoolDraft& draft, std::vector<Fault>& faults) {
  const auto value = read_json(body.empty() ? "{}" : body, {});
  if (!value) return value.error();
  if (!read_fields(*value, Place(faults), kPoolFields, draft)) return invalid(std::move(faults));
  return std::nullopt;
}

PoolReading finish(PoolDraft draft, std::vector<Fault> faults) {
  add_rules_faults(faults, check_pool(draft.pool));
  PoolReading reading{std::move(draft.pool), std::nullopt};
  if (!faults.empty()) reading.problem = invalid(std::move(faults));
  return reading;
}

}  // namespace

json::object pool_json(const PoolRow& row) {
  const Pool& pool = row.pool;
  json::object out;
  out["id"] = to_text(JobId{row.number});
  out["code"] = pool.code;
  out["name"] = pool.name;
  out["rateLimitPerMinute"] =
      pool.rate_limit_per_minute ? json::value(*pool.rate_limit_per_minute) : json::value(nullptr);
  out["burst"] = pool.burst;
  out["concurrency"] = pool.concurrency;
  out["status"] = kPoolStatusNames.text(pool.status);
  out["updatedAt"] = to_rfc3339(row.updated_at);
  return out;
}

PoolReading read_new_pool(std::string_view body) {
  PoolDraft draft;
  std::vector<Fault> faults;
  if (auto problem = read(body, draft, faults)) return {{}, std::move(problem)};
  if (!draft.has_code) faults.push_back({"/code", "is required"});
  // Nobody is told that a name is wrong which he did not give.
  if (!draft.has_name) draft.pool.name = is_pool_code(draft.pool.code) ? draft.pool.code : "-";
  draft.pool.limited = draft.pool.rate_limit_per_minute.has_value() || draft.concurrency_set;
  return finish(std::move(draft), std::move(faults));
}

PoolReading read_pool_change(std::string_view body, const Pool& now) {
  PoolDraft draft;
  draft.pool = now;
  std::vector<Fault> faults;
  if (auto problem = read(body, draft, faults)) return {{}, std::move(problem)};
  if (draft.has_code && draft.pool.code != now.code)
    faults.push_back({"/code", "cannot be changed; leave it out or give '" + now.code + "'"});
  // Whoever writes back the concurrency he read has not limited the pool by that.
  const bool by_concurrency =
      !draft.concurrency_freed && (now.limited || draft.pool.concurrency != now.concurrency);
  draft.pool.limited = draft.pool.rate_limit_per_minute.has_value() || by_concurrency;
  draft.pool.code = now.code;
  return finish(std::move(draft), std::move(faults));
}

}  // namespace eilbote
