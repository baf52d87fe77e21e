#include "api/listener_part.h"

#include "api/query_string.h"

namespace eilbote {
namespace {

class Part final : public HttpHandler {
 public:
  Part(HttpHandler& api, ListenerPart part) : api_(api), part_(part) {}

  void handle(HttpRequest request, Responder respond) override {
    if (answers(split_target(request.target).path))
      return api_.handle(std::move(request), std::move(respond));
    respond(api_.refusal(404, part_ == ListenerPart::all_but_metrics
                                  ? "metrics are on a listener of their own: EILBOTE_METRICS_LISTEN"
                                  : "this listener has /metrics and /health only"));
  }
  HttpResponse refusal(int status, std::string_view detail) override { return api_.refusal(status, detail); }

 private:
  bool answers(std::string_view path) const {
    const bool is_metrics = path == "/metrics";
    return part_ == ListenerPart::all_but_metrics ? !is_metrics : is_metrics || path.starts_with("/health/");
  }

  HttpHandler& api_;
  const ListenerPart part_;
};

}  // namespace

std::unique_ptr<HttpHandler> make_listener_part(HttpHandler& api, ListenerPart part) {
  return std::make_unique<Part>(api, part);
}

}  // namespace eilbote
