// Health, metrics, and the contract itself.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "api/handlers.h"
#include "openapi_yaml.h"

namespace eilbote {

namespace json = boost::json;

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
