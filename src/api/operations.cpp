// Health, metrics, breakers, and the contract itself.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/audit.h"
#include "api/handlers.h"
#include "api/json_out.h"
#include "base/log.h"
#include "openapi_yaml.h"

namespace eilbote {

namespace json = boost::json;

namespace {

json::object breaker_json(const BreakerView& breaker, const Clock& clock) {
  json::object row;
  row["route"] = breaker.route;
  row["state"] = kBreakerStateNames.text(breaker.state);
  if (!breaker.reason.empty()) row["reason"] = breaker.reason;
  if (breaker.since) row["since"] = to_rfc3339(wall_time(clock, *breaker.since));
  return row;
}

// What the breaker was before; nothing when there is none of this name.
std::optional<json::object> breaker_of(const Call& call, const std::string& route) {
  for (const BreakerView& breaker : call.context.ledger.breakers())
    if (breaker.route == route) return breaker_json(breaker, call.context.clock);
  return std::nullopt;
}

}  // namespace

void get_breakers(const CallPtr& call) {
  call->on_worker([call] {
    call->reply_json(200, list_json(call->context.ledger.breakers(), [call](const BreakerView& breaker) {
                       return breaker_json(breaker, call->context.clock);
                     }));
  });
}

void reset_breaker(const CallPtr& call) {
  call->on_worker([call] {
    const std::string& route = call->params.at(0);
    const auto before = breaker_of(*call, route);
    if (!call->context.ledger.reset_breaker(route))
      return call->reply(
          Problem{ProblemKind::not_found, "there is no breaker of this name; GET /breakers lists them", {}});
    log::warning("breaker closed by hand", {{"route", route}, {"actor", call->caller.actor()}});
    // It is closed whatever becomes of the record: whoever resets a breaker may do so because the store is in trouble.
    const json::object after{{"state", kBreakerStateNames.text(BreakerState::closed)}};
    if (const auto written = call->context.registry.add_audit(
            audit_entry(*call, "breaker.reset", "breaker:" + route, before.value_or(json::object()), after));
        !written)
      log::error("the reset of a breaker is not on the audit record",
                 {{"route", route}, {"actor", call->caller.actor()}, {"error", written.error().message}});
    call->reply_json(204, "");
  });
}

void health_live(const CallPtr& call) {
  call->reply_json(200, R"({"status":"live"})");
}

void health_ready(const CallPtr& call) {
  call->on_worker([call] {
    Result<void> ready = call->context.outbox.check();
    if (ready && call->context.settings.ready) ready = call->context.settings.ready();
    if (!ready)
      return call->reply(Problem{ProblemKind::unavailable, "not ready: " + ready.error().message, {}});
    const auto& broker = call->context.settings.broker;
    const TransportState state = broker ? broker() : TransportState{true, {}};
    if (state.connected && state.receiving) return call->reply_json(200, R"({"status":"ready"})");
    // New work is taken all the same: it waits in the database.
    const std::string detail = state.connected ? "no messages come from the broker: " + state.receive_detail
                                               : "the broker is away: " + state.detail;
    call->reply_json(200, json::serialize(json::object{{"status", "degraded"}, {"detail", detail}}));
  });
}

void get_metrics(const CallPtr& call) {
  call->on_worker([call] {
    HttpResponse response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = call->context.metrics.render();
    call->reply(std::move(response));
  });
}

void get_openapi(const CallPtr& call) {
  HttpResponse response;
  response.content_type = "application/yaml";
  response.body = kOpenapiYaml;
  call->reply(std::move(response));
}

}  // namespace eilbote
