// Points in time and their RFC 3339 text. One type for all of Eilbote: UTC, microseconds (what PostgreSQL
// keeps).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace eilbote {

using TimePoint = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;

// "2026-11-15T21:00:00.123Z": milliseconds, always Z.
std::string to_rfc3339(TimePoint at);

// "Thu, 01 Jan 2026 00:00:00": what dates of mails and of HTTP have in common; the zone is theirs to add.
std::string to_internet_date(TimePoint at);

// Strict RFC 3339 (date, 'T', time, optional fraction, 'Z' or an offset); nullopt when it is anything else.
std::optional<TimePoint> parse_rfc3339(std::string_view text);

}  // namespace eilbote
