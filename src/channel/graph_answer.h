// What Microsoft Graph, or the endpoint that gives out its tokens, says: an HTTP answer read tolerantly. Errors come as JSON of
// several shapes, as plain text, as a proxy's HTML, or as nothing at all. Used by the door and what it is made of.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "channel/graph_door.h"
#include "net/http_client.h"

namespace eilbote {

struct GraphTrouble {
  std::string code;        // `error.code`, or the nearest innerError's, or `error` itself; empty: none
  std::string text;        // for people, on one line; never empty
  std::string request_id;  // of Graph, for its support; empty: not said
};

// `body` is the document when it is JSON, else null, with what came in `raw`.
GraphTrouble read_graph_trouble(const boost::json::value& body, std::string_view raw, int status);

// "graph.microsoft.com did not answer in time: 15000 ms, while connecting"
std::string exchange_fault_text(const HttpAnswer& answer, const std::string& host);

// An id of Graph's own, for its support: a short line, whoever answered.
std::string clean_request_id(std::string_view text);

// Everything but the token's part.
GraphAnswer read_graph_answer(HttpAnswer answer, const std::string& host, TimePoint now);

}  // namespace eilbote
