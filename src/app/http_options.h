// How the HTTP server is set up, from the options. Used by the composition root.
#pragma once

#include "config/config.h"
#include "net/http_server.h"

namespace eilbote {

// `tls` may be null.
HttpServerOptions http_options(const Config& config, const ServerTls* tls);

}  // namespace eilbote
