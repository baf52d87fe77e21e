// `eilbote serve`: builds everything, runs until SIGTERM or SIGINT, and takes it down again in reverse order. SIGHUP has it read
// its configuration again.
#pragma once

#include <functional>

#include "config/loader.h"

namespace eilbote {

// The exit code: 0 after a clean stop, 1 when it could not start. `read_again`: the configuration from where `loaded` came.
int serve(const LoadedConfig& loaded, const std::function<LoadedConfig()>& read_again);

}  // namespace eilbote
