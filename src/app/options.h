// From the configuration to the options of a part: the store, the HTTP server, the secrets. Used by the composition root
// and by the commands that open a part by themselves.
#pragma once

#include "base/result.h"
#include "config/config.h"
#include "net/http_server.h"
#include "secrets/secrets.h"
#include "store/store.h"

namespace eilbote {

// Its password is resolved.
Result<StoreOptions> store_options(const Config& config);

// `tls` may be null.
HttpServerOptions http_options(const Config& config, const ServerTls* tls);

// With the AWS_* variables of this process. `metrics` may be null.
SecretOptions secret_options(const Config& config, Metrics* metrics = nullptr);

}  // namespace eilbote
