// Durations as people write them in options and requests, and back.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace eilbote {

// "30s", "5m", "1h", "5d", "250ms". A bare number counts seconds. At most ten years.
Result<Duration> parse_duration(std::string_view text);
// In the largest unit that fits it whole.
std::string duration_text(Duration value);

}  // namespace eilbote
