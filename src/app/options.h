// From the configuration to the options of a part: what each of them can say by itself, without the other parts. Used by the
// composition root, which adds the rest, and by the commands that open a part by themselves.
#pragma once

#include "api/api.h"
#include "auth/oidc.h"
#include "base/result.h"
#include "config/config.h"
#include "engine/ledger.h"
#include "engine/upkeep.h"
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

OidcOptions oidc_options(const Config& config);
CourierRules courier_rules(const Config& config);
LedgerOptions ledger_options(const Config& config);
UpkeepOptions upkeep_options(const Config& config);
ApiSettings api_settings(const Config& config);

}  // namespace eilbote
