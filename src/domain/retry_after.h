// Retry-After (RFC 9110 §10.2.3): seconds, or a date in one of the three forms HTTP has known. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace eilbote {

inline constexpr Duration kRetryAfterMin = std::chrono::seconds{1};
inline constexpr Duration kRetryAfterMax = std::chrono::hours{24};

// From `now`, between a second and a day; nothing when the text is neither.
std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now);

// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994".
std::optional<TimePoint> parse_http_date(std::string_view text, TimePoint now);

}  // namespace eilbote
