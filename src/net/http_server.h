// The HTTP/1.1 server: speaks the wire, bounds what a client may cost, and hands whole requests to an
// HttpHandler. The composition root makes one; nobody else knows Boost.Asio or Beast is behind it.
//
// Promises: a request reaches the handler complete or not at all; its bytes were reserved from one budget
// before its body was read; one request at a time per connection, answers in order; every wait for a client
// has a deadline.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "ports/http.h"

namespace eilbote {

struct Metrics;
class ServerTls;

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an address, not a name
  std::uint16_t port = 0;          // 0: any free one, see HttpServer::port
  int threads = 1;
  std::size_t body_bytes_max = 32 * 1024 * 1024;
  std::size_t header_bytes_max = 32 * 1024;
  std::size_t budget_bytes = 64 * 1024 * 1024;  // of all bodies held in memory
  std::size_t connections_max = 4096;
  std::size_t connections_per_peer_max = 1024;        // of one client address
  Duration idle_timeout = std::chrono::seconds{75};   // between requests
  Duration write_timeout = std::chrono::seconds{60};  // for a client to take its answer
  Duration handshake_timeout =
      std::chrono::seconds{10};                        // from the connection to the end of the TLS handshake
  Duration header_timeout = std::chrono::seconds{10};  // from a request's first byte to the end of its header
  Duration body_progress_timeout = std::chrono::seconds{20};  // a body must move on noticeably within this
  Duration drain_timeout = std::chrono::seconds{2};           // how long stop() waits for answers under way
  const ServerTls* tls = nullptr;                             // outlives the server; null: without TLS

  friend bool operator==(const HttpServerOptions&, const HttpServerOptions&) = default;
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  // Binds and listens; the error says which address could not be had.
  virtual Result<void> start() = 0;
  // The port that is listened on, after start().
  virtual std::uint16_t port() const = 0;
  // No new connections; idle ones are closed, busy ones after their answer. Requests under way go on; answers that would go on
  // for ever (HttpResponse::stream) end now.
  virtual void stop_accepting() = 0;
  // Waits a moment for the answers under way, closes everything, ends the threads. May be called twice.
  virtual void stop() = 0;
};

// `handler` must outlive the server's stop(). `metrics` may be null.
std::unique_ptr<HttpServer> make_http_server(HttpServerOptions options, HttpHandler& handler,
                                             Metrics* metrics);

}  // namespace eilbote
