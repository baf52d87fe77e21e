// Sends HTTP requests, many at a time, from one thread of its own: `http-out`. Each call becomes exactly one request or none;
// nothing is followed, nothing is sent again. Used by the webhook channel, the Graph door and others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "domain/exchange_fault.h"
#include "net/name_lookup.h"
#include "net/outbound_gate.h"

namespace eilbote {

struct HttpCall {
  std::string method = "POST";
  std::string url;   // in its one spelling: what is not URL syntax must be escaped already
  std::string host;  // of the URL; looked up here, never by the library
  bool host_is_address = false;
  std::uint16_t port = 443;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  Duration timeout =
      std::chrono::seconds{30};  // over everything: name, connection, request, the answer's last byte
  std::size_t response_bytes_max = 64 * 1024;  // after decompression; what is beyond is not read
  // Asked right before the request goes out, from the client's thread; false: `not_sent`. Empty: yes.
  std::function<bool()> about_to_send;
};

struct HttpAnswer {
  ExchangeFault fault = ExchangeFault::none;
  std::string detail;  // of the fault, for people
  int status = 0;
  std::string header_lines;  // of the last answer, as they came
  std::string body;
  bool body_is_cut = false;

  // The value of the first header of this name (any case); empty when there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpClientOptions {
  std::string ca_file;  // whom to trust instead of the system's authorities; empty: those
  // Endpoints that close after five quiet seconds are common; a request that meets the closing is lost.
  std::chrono::seconds idle_max{4};
  std::chrono::seconds lifetime_max{300};  // of a connection: sees a changed address some time
  std::size_t idle_connections_max = 256;
  std::size_t calls_max = 50'000;  // over: `busy`
  std::size_t header_bytes_max = 64 * 1024;
  // Plain HTTP goes by libcurl as well: how the tests reach, without TLS, what is done for it there.
  bool plain_by_curl = false;
  NameLookup lookup = look_up_name;
  // Asked for every address before anything is connected to it, and again for every request; empty: everything may be.
  OutboundForbids forbids{};
};

class HttpClient {
 public:
  using Done = std::function<void(HttpAnswer)>;
  // What is still under way then is dropped, its `done` never called.
  virtual ~HttpClient() = default;

  // Never blocks. `done` is called exactly once, from the client's thread.
  virtual void send(HttpCall call, Done done) = 0;
  // Answers everything whose request has not begun with `not_sent`.
  virtual void release_waiting() = 0;
  // Runs `errand` on the client's thread.
  virtual void later(std::function<void()> errand) = 0;
};

// Starts the client's thread.
Result<std::unique_ptr<HttpClient>> make_http_client(HttpClientOptions options);

}  // namespace eilbote
