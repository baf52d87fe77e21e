#include "api/overview_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>

#include "api/json_out.h"
#include "domain/attention.h"

namespace eilbote {
namespace {

namespace json = boost::json;

// A third digit would be noise; a whole number needs no point.
json::value rounded(double value) {
  const double hundredths = std::round(value * 100);
  if (std::fmod(hundredths, 100) == 0) return static_cast<std::int64_t>(hundredths / 100);
  return hundredths / 100;
}

json::object counts_json(const FlowCounts& counts) {
  return {{"accepted", counts.accepted},
          {"delivered", counts.delivered},
          {"failed", counts.failed},
          {"retried", counts.retried}};
}

json::object rates_json(const FlowRates& rates) {
  return {{"accepted", rounded(rates.accepted)},
          {"delivered", rounded(rates.delivered)},
          {"failed", rounded(rates.failed)},
          {"retried", rounded(rates.retried)}};
}

json::object second_json(const FlowSecond& second) {
  json::object row = rates_json(second.rates);
  row["at"] = to_rfc3339(second.at);
  return row;
}

json::object minute_json(const FlowMinute& minute) {
  json::object row = counts_json(minute.counts);
  row["at"] = to_rfc3339(minute.at);
  return row;
}

json::value millis_or_null(const std::optional<double>& seconds) {
  return seconds ? rounded(*seconds * 1000) : json::value();
}

json::value number_or_null(const std::optional<int>& number) {
  return number ? json::value(*number) : json::value();
}

json::object attempts_json(const LatencyView& attempts) {
  return {{"perSecond", rounded(attempts.per_second)},
          {"p50Millis", millis_or_null(attempts.p50)},
          {"p95Millis", millis_or_null(attempts.p95)},
          {"p99Millis", millis_or_null(attempts.p99)}};
}

json::object load_json(const PoolLoad& pool) {
  return {{"pool", pool.pool},
          {"status", kPoolStatusNames.text(pool.status)},
          {"waiting", pool.waiting},
          {"due", pool.due},
          {"oldestDueAt", time_or_null(pool.oldest)},
          {"inFlight", pool.in_flight},
          {"concurrency", number_or_null(pool.concurrency)},
          {"rateLimitPerMinute", number_or_null(pool.rate_limit_per_minute)},
          {"lastError", pool.last_error},
          {"lastErrorAt", time_or_null(pool.last_error_at)}};
}

json::object route_json(const RouteLoad& route) {
  return {
      {"route", route.route}, {"instance", route.instance}, {"channel", kChannelNames.text(route.channel)},
      {"state", route.state}, {"reason", route.reason},     {"since", time_or_null(route.since)}};
}

json::object dead_json(const DeadLoad& dead) {
  json::object reasons;
  for (const auto& [reason, count] : dead.by_reason)
    reasons[kDeadReasonNames.text(reason)] = count;
  return {{"count", dead.count}, {"byReason", std::move(reasons)}};
}

json::object attention_json(const Attention& attention) {
  json::object row{{"code", kAttentionCodeNames.text(attention.code)},
                   {"severity", kUrgencyNames.text(attention.severity)},
                   {"subject", attention.subject},
                   {"since", time_or_null(attention.since)},
                   {"count", attention.count},
                   {"detail", attention.detail}};
  if (attention.channel) row["channel"] = kChannelNames.text(*attention.channel);
  return row;
}

template <class Rows, class Write>
json::array array_of(const Rows& rows, Write write) {
  json::array out;
  out.reserve(rows.size());
  for (const auto& row : rows)
    out.push_back(write(row));
  return out;
}

json::value broker_json(const std::optional<BrokerLoad>& broker) {
  if (!broker) return {};
  return json::object{
      {"connected", broker->connected}, {"receiving", broker->receiving}, {"detail", broker->detail}};
}

}  // namespace

std::string overview_json(const Overview& seen, bool whole) {
  json::object out;
  out["at"] = to_rfc3339(seen.at);
  out["instance"] = seen.instance;
  out["instances"] = seen.instances;
  out["version"] = seen.version;
  out["store"] = seen.store;
  out["broker"] = broker_json(seen.broker);
  out["attention"] = array_of(attention(seen), attention_json);
  out["totals"] = counts_json(seen.totals);
  out["rates"] = rates_json(seen.rates);
  out["attempts"] = attempts_json(seen.attempts);
  out["pools"] = array_of(seen.pools, load_json);
  out["routes"] = array_of(seen.routes, route_json);
  out["dead"] = dead_json(seen.dead);
  out["blockedGroups"] = seen.blocked_groups;
  if (whole) {
    out["seconds"] = array_of(seen.seconds, second_json);
    out["minutes"] = array_of(seen.minutes, minute_json);
  }
  return json::serialize(out);
}

}  // namespace eilbote
