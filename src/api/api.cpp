#include "api/api.h"

#include "api/call.h"
#include "api/gate.h"
#include "api/route_table.h"

namespace eilbote {
namespace {

class Api final : public HttpHandler {
 public:
  explicit Api(ApiContext context)
      : context_(std::move(context)),
        workers_(context_.settings.worker_threads, context_.settings.workers_waiting_max) {}

  void handle(HttpRequest request, Responder respond) override;
  HttpResponse refusal(int status, std::string_view detail) override;

 private:
  const ApiContext context_;
  SystemRandom random_;  // for trace ids
  WorkerPool workers_;
};

void Api::handle(HttpRequest request, Responder respond) {
  const auto call =
      std::make_shared<Call>(context_, workers_, std::move(request), std::move(respond), random_);
  const RouteMatch match = find_route(call->request.method, call->target.path);
  if (match.route != nullptr) {
    call->route = match.route;
    for (const std::string& given : match.params) {
      auto text = decoded_text(given);
      if (!text) return call->reply(invalid({{"", "the path must be percent-encoded UTF-8"}}));
      call->params.push_back(std::move(*text));
    }
    return let_in(call);
  }
  if (match.allow.empty())
    return call->reply(Problem{
        ProblemKind::not_found, "there is nothing at this path; GET /openapi.yaml lists what there is", {}});
  HttpResponse response = to_response(
      {ProblemKind::method_not_allowed, "this method is not possible here; possible: " + match.allow, {}},
      call->place());
  response.headers.emplace_back("Allow", match.allow);
  call->reply(std::move(response));
}

HttpResponse Api::refusal(int status, std::string_view detail) {
  const TraceContext trace = make_trace("", random_);
  HttpResponse response =
      to_response({kind_of_status(status), std::string(detail), {}}, {"", trace.trace_id});
  response.headers.emplace_back("traceparent", trace.traceparent());
  context_.metrics.add(Metric::http_requests, 1, {"none", std::to_string(response.status)});
  return response;
}

}  // namespace

std::unique_ptr<HttpHandler> make_api(ApiContext context) {
  return std::make_unique<Api>(std::move(context));
}

}  // namespace eilbote
