// The store's options from the configuration, its password resolved; for `serve` and `migrate`.
#pragma once

#include "base/result.h"
#include "config/config.h"
#include "store/store.h"

namespace eilbote {

Result<StoreOptions> store_options(const Config& config);

}  // namespace eilbote
