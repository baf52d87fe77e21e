// What one listener answers of the API, where metrics have a listener of their own (EILBOTE_METRICS_LISTEN). The
// composition root puts one of these in front of the API for each listener.
#pragma once

#include <memory>

#include "ports/http.h"

namespace eilbote {

enum class ListenerPart {
  all_but_metrics,     // the listener for clients
  metrics_and_health,  // the listener for those who watch
};

// `api` outlives it.
std::unique_ptr<HttpHandler> make_listener_part(HttpHandler& api, ListenerPart part);

}  // namespace eilbote
