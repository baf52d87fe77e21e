// What of tracing is well-formed but cannot work together. Called by the loader once every option is set.
#pragma once

#include "config/loader.h"

namespace eilbote {

void refuse_tracing(LoadedConfig& loaded);

}  // namespace eilbote
