#include "app/http_options.h"

namespace eilbote {

HttpServerOptions http_options(const Config& config, const ServerTls* tls) {
  HttpServerOptions options;
  options.host = config.listen.host;
  options.port = config.listen.port;
  options.threads = config.http_threads;
  options.body_bytes_max = config.http_body_bytes_max;
  options.budget_bytes = config.http_budget_bytes;
  options.header_bytes_max = config.http.header_bytes_max;
  options.connections_max = config.http.connections_max;
  options.connections_per_peer_max = config.http.connections_per_peer_max;
  options.idle_timeout = config.http.idle_timeout;
  options.write_timeout = config.http.write_timeout;
  options.handshake_timeout = config.http.handshake_timeout;
  options.header_timeout = config.http.header_timeout;
  options.body_progress_timeout = config.http.body_timeout;
  options.tls = tls;
  return options;
}

}  // namespace eilbote
