// The door to Microsoft Graph: authenticated requests, many at a time. It gets and renews the token (one request for all who
// wait), asks for immutable ids, keeps each mailbox's limit of open requests, puts small requests of several mailboxes into one
// $batch, and reads Graph's errors. What an answer means for a mail is domain/graph_judge.h. Shared by the Graph channel and
// the Graph watch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/exchange_fault.h"
#include "domain/graph_options.h"
#include "ports/secret_source.h"

namespace eilbote {

struct Metrics;

struct GraphCall {
  std::string method = "GET";
  std::string
      path;  // below the base URL and escaped: "/users/a%40b.example/messages"; or a whole https URL that
             // Graph itself gave (a nextLink, a deltaLink, an uploadUrl)
  std::string mailbox;  // whose limits it counts under; empty: nobody's
  std::vector<std::pair<std::string, std::string>>
      headers{};  // beyond Authorization, Prefer, client-request-id, traceparent
  std::string body{};
  bool with_token = true;     // false: an uploadUrl, which must not get one
  bool may_batch = false;     // small, JSON or without a body
  std::string traceparent{};  // of the attempt it is part of; empty: none
  std::size_t response_bytes_max = 256 * 1024;
  // Asked right before the request goes out; false: answered with ExchangeFault::not_sent. Empty: yes.
  std::function<bool()> about_to_send{};
};

struct GraphAnswer {
  ExchangeFault fault = ExchangeFault::none;
  int status = 0;    // 0 with a fault
  std::string code;  // error.code of Graph, or `error` of the token endpoint; empty: none
  std::string text;  // for people: the message of the error, or what the fault was; never a secret
  bool token_failed =
      false;  // no token could be had, so the request was not sent: status, code and text are about that
  bool configuration = false;  // with token_failed: wrong client, secret or tenant; a person must act
  std::string body;
  std::optional<Duration> retry_after;
  std::string request_id;

  bool ok() const { return fault == ExchangeFault::none && !token_failed && status >= 200 && status < 300; }
};

class GraphDoor {
 public:
  using Done = std::function<void(GraphAnswer)>;
  virtual ~GraphDoor() = default;

  // Never blocks. `done` is called exactly once, from the door's thread. A 401 is answered by a new token and one second try
  // before anybody hears of it; nothing else is ever sent twice. (A batch that Graph refuses as a whole was not carried out;
  // its parts then go alone.)
  virtual void call(GraphCall call, Done done) = 0;
  // Answers everything that has not begun with `not_sent`.
  virtual void release_waiting() = 0;
};

// Starts the door's thread. The last owner lets go of it from another thread: it waits for that thread's end. What is under
// way then is dropped, its `done` never called.
Result<std::shared_ptr<GraphDoor>> make_graph_door(const GraphOptions& options, SecretSource& secrets,
                                                   Metrics& metrics, const Clock& clock);

}  // namespace eilbote
