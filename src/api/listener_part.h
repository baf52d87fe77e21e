// What one listener answers of the API: where metrics have a listener of their own (EILBOTE_METRICS_LISTEN), and where an instance
// has a role that leaves the rest to others (EILBOTE_ROLE). The composition root puts these in front of the API, one in front of
// the other where both hold.
#pragma once

#include <memory>

#include "ports/http.h"

namespace eilbote {

enum class ListenerPart {
  all_but_metrics,     // the listener for clients
  metrics_and_health,  // the listener for those who watch
  of_worker,           // what only those who deliver can answer, and health and metrics
  of_scheduler,        // health and metrics
};

// `api` outlives it.
std::unique_ptr<HttpHandler> make_listener_part(HttpHandler& api, ListenerPart part);

}  // namespace eilbote
