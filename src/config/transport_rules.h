// What of the transport is well-formed but cannot work together. Called by the loader once every option is set.
#pragma once

#include "config/loader.h"

namespace eilbote {

void refuse_transport(LoadedConfig& loaded);

}  // namespace eilbote
