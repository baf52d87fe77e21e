#include "api/listener_part.h"

#include "api/query_string.h"

namespace eilbote {
namespace {

bool is_metrics(std::string_view path) {
  return path == "/metrics";
}
bool is_watching(std::string_view path) {
  return is_metrics(path) || path.starts_with("/health/");
}
// Of every instance, whatever it does: a choice of the log level holds for the one that was asked.
bool is_of_instance(std::string_view path) {
  return path == "/log-level";
}
// What the ledger of this very instance knows or does.
bool is_delivering(std::string_view path) {
  return path.starts_with("/internal/") || path == "/breakers" || path.starts_with("/breakers/") ||
         (path.starts_with("/jobs/") && path.ends_with("/why"));
}

bool answers(ListenerPart part, std::string_view path) {
  switch (part) {
    case ListenerPart::all_but_metrics:
      return !is_metrics(path);
    case ListenerPart::metrics_and_health:
      return is_watching(path);
    case ListenerPart::of_scheduler:
      return is_watching(path) || is_of_instance(path);
    case ListenerPart::of_worker:
      return is_watching(path) || is_of_instance(path) || is_delivering(path);
  }
  return false;
}

std::string_view why_not(ListenerPart part) {
  switch (part) {
    case ListenerPart::all_but_metrics:
      return "metrics are on a listener of their own: EILBOTE_METRICS_LISTEN";
    case ListenerPart::metrics_and_health:
      return "this listener has /metrics and /health only";
    case ListenerPart::of_worker:
      return "this instance has the role worker: it has /internal, /breakers, /jobs/{id}/why, /log-level, "
             "/health and /metrics; ask one with the role api or all";
    case ListenerPart::of_scheduler:
      return "this instance has the role scheduler: it has /log-level, /health and /metrics only; ask "
             "one with the role api or all";
  }
  return "";
}

class Part final : public HttpHandler {
 public:
  Part(HttpHandler& api, ListenerPart part) : api_(api), part_(part) {}

  void handle(HttpRequest request, Responder respond) override {
    if (answers(part_, split_target(request.target).path))
      return api_.handle(std::move(request), std::move(respond));
    respond(api_.refusal(404, why_not(part_)));
  }
  HttpResponse refusal(int status, std::string_view detail) override { return api_.refusal(status, detail); }

 private:
  HttpHandler& api_;
  const ListenerPart part_;
};

}  // namespace

std::unique_ptr<HttpHandler> make_listener_part(HttpHandler& api, ListenerPart part) {
  return std::make_unique<Part>(api, part);
}

}  // namespace eilbote
