// Where secrets come from, out of the configuration; for everything that resolves or keeps them.
#pragma once

#include "config/config.h"
#include "secrets/secrets.h"

namespace eilbote {

// With the AWS_* variables of this process. `metrics` may be null.
SecretOptions secret_options(const Config& config, Metrics* metrics = nullptr);

}  // namespace eilbote
