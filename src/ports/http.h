// HTTP requests and answers as the API sees them; src/net speaks the wire.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eilbote {

// Bytes reserved from the server's budget for one request; given back when the last copy is gone.
using ByteReservation = std::shared_ptr<void>;

struct HttpRequest {
  std::string method;                                        // "GET"
  std::string target;                                        // as sent: path and query
  std::vector<std::pair<std::string, std::string>> headers;  // in order, names as sent
  std::string body;
  ByteReservation reservation;

  // The first header of that name, case-insensitively; empty when there is none.
  std::string_view header(std::string_view name) const;
};

// An answer that goes on: whole events for as long as the client listens. src/net makes it; whoever answered writes to it, from
// any thread.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // What the client gets next; never blocks. An event that was not begun when the next one comes is left out: who reads slowly
  // gets the newest, and nothing piles up.
  virtual void send(std::shared_ptr<const std::string> event) = 0;
  // Nothing comes after this; what waits is still sent.
  virtual void end() = 0;
  // False once it has ended, for whatever reason: the client is gone or takes nothing, the server stops, end() was called.
  virtual bool is_open() const = 0;
};
using HttpStreamStart = std::function<void(std::shared_ptr<HttpStream>)>;  // shared with the connection

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Not empty: the answer goes on after `body`, its first event. Called once, on the HTTP thread, so it must not block; not
  // called for a HEAD, nor when the client is gone. The connection ends with the stream.
  HttpStreamStart stream{};
};

// Answers a request: once, from any thread, at any time; never blocks. When the client is gone it does
// nothing.
using Responder = std::function<void(HttpResponse)>;

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Called on the HTTP thread: must not block.
  virtual void handle(HttpRequest request, Responder respond) = 0;
  // What the server refuses before there is a request (too large, malformed, overload): a status, a detail,
  // and whether the client should come back. The handler words it, so that all errors look the same.
  virtual HttpResponse refusal(int status, std::string_view detail) = 0;
};

}  // namespace eilbote
