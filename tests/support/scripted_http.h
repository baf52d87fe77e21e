// An HTTP endpoint that does what the test wants, request by request: any bytes as an answer, then an end, a reset, silence,
// or more and more of the same. It keeps what it was sent. On the loopback, a thread per connection; gone with the object.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/conversations.h"
#include "support/loopback_listener.h"
#include "support/tls_identity.h"

namespace eilbote::test {

// A complete answer with its Content-Length. `headers`: whole lines, each with its CRLF.
std::string http_answer(int status, const std::string& body = "", const std::string& headers = "");
// The beginning of a gzip file of `bytes` zeros; a 160th of that on the wire.
std::string gzip_of_zeros(std::size_t bytes);

// What happens to one request.
struct HttpScene {
  enum class Then {
    go_on,  // the connection is kept for the next request
    close,
    reset,     // the client sees "connection reset by peer"
    silence,   // nothing more comes until the client ends
    for_ever,  // `again` follows, again and again
  };
  std::string answer = http_answer(200, "ok");  // sent as it is; may be empty or half of one
  Then then = Then::go_on;
  std::string again{};
  std::chrono::milliseconds pause{0};  // before each `again`
  std::chrono::milliseconds before_answer{0};
};

struct HttpSeen {
  std::string line;                            // "POST /hook HTTP/1.1"
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  int connection = 0;  // from 1
};

struct HttpScript {
  // The first is for the first request, and so on, over all connections; the last stays. None: always a 200.
  std::vector<HttpScene> scenes{};
  const TlsIdentity* tls = nullptr;
  // Instead of the scenes: what happens to this request. From the threads of the connections.
  std::function<HttpScene(const HttpSeen&)> decide{};
  // The request is over: its answer is about to be written whole, or its client is gone.
  std::function<void(const HttpSeen&)> over{};
  // False: seen() stays empty, for a test whose requests are many or large.
  bool keeps_requests = true;
};

class ScriptedHttp {
 public:
  explicit ScriptedHttp(HttpScript script = {});
  ~ScriptedHttp();
  ScriptedHttp(const ScriptedHttp&) = delete;
  ScriptedHttp& operator=(const ScriptedHttp&) = delete;

  std::uint16_t port() const { return listener_.port(); }
  // "http://127.0.0.1:PORT/hook"
  std::string url(const std::string& host = "127.0.0.1") const;
  std::vector<HttpSeen> seen() const;
  int connections() const;
  // Connections that are open now.
  int open() const;
  // Whether the client of this connection (HttpSeen::connection) has ended it, noticed by its thread or not.
  bool is_gone(int connection) const;

 private:
  class Conversation;
  void accept_all();
  HttpScene next_scene(const HttpSeen& request);

  HttpScript script_;
  LoopbackListener listener_;
  mutable std::mutex mutex_;
  std::size_t played_ = 0;
  std::vector<HttpSeen> seen_;
  std::map<int, int> open_;  // connection -> socket
  int connections_ = 0;
  Conversations conversations_;
  std::thread acceptor_;
};

}  // namespace eilbote::test
