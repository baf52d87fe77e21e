// `eilbote serve`: builds everything, runs until SIGTERM or SIGINT, and takes it down again in reverse order.
#pragma once

#include "config/config.h"

namespace eilbote {

// The exit code: 0 after a clean stop, 1 when it could not start.
int serve(const Config& config);

}  // namespace eilbote
