// The rows of the option table about the HTTP listener: TLS, and what a client may cost.
#include "config/option_kinds.h"
#include "config/option_sections.h"

namespace eilbote {

using namespace std::chrono_literals;
using kinds::bytes;
using kinds::duration;
using kinds::number;

namespace {

void add_tls(std::vector<Option>& table) {
  table.push_back(
      {"EILBOTE_LISTEN_TLS_CERT", "server.tls_cert", "HTTP listener", "",
       kinds::text(
           [](Config & c) -> auto& { return c.http.tls_certificate_file; }, "path"),
       "Certificate (PEM, with those between it and the authority) the listener shows under TLS 1.2 and "
       "1.3; empty: without TLS. Read again when the file changes, and on SIGHUP."});
  table.push_back({"EILBOTE_LISTEN_TLS_KEY", "server.tls_key", "HTTP listener", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.http.tls_key_file; }, "path"),
                   "The certificate's private key (PEM, without a passphrase)."});
  table.push_back({"EILBOTE_HTTP_HANDSHAKE_TIMEOUT", "http.handshake_timeout", "HTTP listener", "10s",
                   duration(
                       [](Config & c) -> auto& { return c.http.handshake_timeout; }, 100ms, 10min),
                   "For a client to finish the TLS handshake; later: closed."});
}

void add_limits(std::vector<Option>& table) {
  table.push_back({"EILBOTE_HTTP_CONNECTIONS_MAX", "http.connections_max", "HTTP listener", "4096",
                   number(
                       [](Config & c) -> auto& { return c.http.connections_max; }, 1, 1'000'000),
                   "Connections open at once; over: 429. Each takes a file descriptor."});
  table.push_back(
      {"EILBOTE_HTTP_CONNECTIONS_PER_PEER_MAX", "http.connections_per_peer_max", "HTTP listener", "1024",
       number(
           [](Config & c) -> auto& { return c.http.connections_per_peer_max; }, 1, 1'000'000),
       "Connections from one client address (of IPv6: one /64); over: 429. Behind a proxy all come from its "
       "address."});
  table.push_back({"EILBOTE_HTTP_HEADER_BYTES_MAX", "http.header_bytes_max", "HTTP listener", "32KiB",
                   bytes(
                       [](Config & c) -> auto& { return c.http.header_bytes_max; }, 1024, 1024 * 1024),
                   "Largest request header; larger: 431."});
}

void add_deadlines(std::vector<Option>& table) {
  table.push_back({"EILBOTE_HTTP_HEADER_TIMEOUT", "http.header_timeout", "HTTP listener", "10s",
                   duration(
                       [](Config & c) -> auto& { return c.http.header_timeout; }, 100ms, 10min),
                   "From a request's first byte to the end of its header; later: 408."});
  table.push_back({"EILBOTE_HTTP_BODY_TIMEOUT", "http.body_timeout", "HTTP listener", "20s",
                   duration(
                       [](Config & c) -> auto& { return c.http.body_timeout; }, 100ms, 10min),
                   "Each time this is over a body must have brought 1 KiB more, or a 256th of its length "
                   "where that is more; less: 408."});
  table.push_back({"EILBOTE_HTTP_WRITE_TIMEOUT", "http.write_timeout", "HTTP listener", "60s",
                   duration(
                       [](Config & c) -> auto& { return c.http.write_timeout; }, 100ms, 1h),
                   "For a client to take its answer; later: closed."});
  table.push_back({"EILBOTE_HTTP_IDLE_TIMEOUT", "http.idle_timeout", "HTTP listener", "75s",
                   duration(
                       [](Config & c) -> auto& { return c.http.idle_timeout; }, 100ms, 1h),
                   "How long a connection is kept between requests."});
}

}  // namespace

void add_http_options(std::vector<Option>& table) {
  add_tls(table);
  add_limits(table);
  add_deadlines(table);
}

}  // namespace eilbote
