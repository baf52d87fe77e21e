// One thread of the HTTP server with its connections. Everything of a connection happens on its loop's
// thread, so nothing is locked. Only http_server.cpp uses this; Asio stays in the .cpp files.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "net/byte_budget.h"
#include "net/http_server.h"
#include "net/peer_counts.h"

namespace boost::asio {
class io_context;
}

namespace eilbote {

// What all connections use; outlives them.
struct HttpShared {
  HttpServerOptions options;
  HttpHandler& handler;
  Metrics* metrics;
  std::shared_ptr<ByteBudget> budget;  // shared with the requests that hold bytes of it
  std::atomic<std::size_t> open{0};    // connections
  PeerCounts peers;
  std::atomic<bool> accepting{true};

  HttpResponse refusal(int status, std::string_view detail) const;
};

// Who comes in.
struct HttpGuest {
  PeerCounts::Peer peer{};  // counted; given back when the connection is closed
  const char* refused_because = nullptr;
};

class HttpLoop {
 public:
  virtual ~HttpLoop() = default;
  virtual boost::asio::io_context& io() = 0;
  // Until drained.
  virtual void run() = 0;

  // The following are called on the loop's thread.
  // Takes over an accepted socket; one that is refused is told so and closed.
  virtual void adopt(int descriptor, bool is_v6, const HttpGuest& guest) = 0;
  virtual void close_idle() = 0;
  // Closes what is not busy, waits for the rest up to the drain timeout; then run() returns.
  virtual void drain() = 0;
  // When the thread is gone: no connection is left after this.
  virtual void close_all() = 0;
};

std::shared_ptr<HttpLoop> make_http_loop(HttpShared& shared);

}  // namespace eilbote
