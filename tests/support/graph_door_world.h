// A door to Graph with a token endpoint and a Graph behind it that do what the test wants. Used by the tests of the door.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "metrics/metrics.h"
#include "support/scripted_http.h"
#include "support/secrets_by_hand.h"

namespace eilbote::test {

class GraphDoorWorld {
 public:
  // What Graph does with a request; tokens are given out beside it, "bearer-token-1", "bearer-token-2", ..
  using Decide = std::function<HttpScene(const HttpSeen&)>;
  explicit GraphDoorWorld(Decide graph, GraphOptions options = {},
                          HttpScene token = {""});  // its answer, when it has one

  GraphDoor& door() { return *door_; }
  void end() { door_.reset(); }

  std::future<GraphAnswer> call(GraphCall call);
  // All of them in the same moment: from the door's own thread, when a first call (to /first) was answered.
  std::vector<std::future<GraphAnswer>> together(std::vector<GraphCall> calls);

  // What came to Graph, without tokens and /first.
  std::vector<HttpSeen> seen() const;
  int tokens() const;
  // "/v1.0/$batch" of "POST /v1.0/$batch HTTP/1.1".
  static std::string path_of(const HttpSeen& request);
  std::string base_url() const;

  SystemClock clock;
  SecretsByHand secrets{"graph-secret"};
  Metrics metrics;

 private:
  HttpScene decide(const HttpSeen& request);

  const Decide graph_;
  const HttpScene token_;
  mutable std::mutex mutex_;
  int tokens_ = 0;
  std::vector<HttpSeen> seen_;
  ScriptedHttp server_;
  std::shared_ptr<GraphDoor> door_;
};

// Wait for it, but not for ever.
GraphAnswer answer_of(std::future<GraphAnswer>& answer);
GraphAnswer answer_of(std::future<GraphAnswer>&& answer);
// "201", "429 TooManyRequests 7s", "timeout", "no token invalid_client (configuration)".
std::string in_words(const GraphAnswer& answer);
std::string error_body(const std::string& code, const std::string& message = "no");

// A small call that may be batched.
GraphCall small_call(const std::string& mailbox, const std::string& body = R"({"subject":"x"})");

// The parts of the body of a $batch, and an answer to it: each part's status by its path's last segment.
struct BatchPartSeen {
  std::string id, method, url, body;
  std::map<std::string, std::string> headers;  // names in lower case
};
std::vector<BatchPartSeen> batch_parts(const std::string& body);
// `part`: the JSON of one response without its id, as in R"("status":202)"; empty: it is left out. In reverse order.
HttpScene batch_answer(const std::string& body, const std::function<std::string(const BatchPartSeen&)>& part);

}  // namespace eilbote::test
