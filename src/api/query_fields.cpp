#include "api/query_fields.h"

#include <fmt/format.h>

#include <charconv>

#include "base/nearest.h"
#include "base/utf8.h"
#include "domain/tsid.h"

namespace eilbote {
namespace {

constexpr std::size_t kShownMax = 64;  // bytes of a name that somebody else chose

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return read;
}

}  // namespace

Fault unknown_parameter(std::string_view given, std::span<const std::string_view> known) {
  const std::string close = nearest(given, known);
  return {"", fmt::format("unknown query parameter '{}'{}", utf8_prefix(given, kShownMax),
                          close.empty() ? "" : fmt::format("; did you mean '{}'?", close))};
}

Fault wrong_parameter(std::string_view given, std::string_view wrong) {
  return {"", fmt::format("query parameter '{}' {}", utf8_prefix(given, kShownMax), wrong)};
}

std::string set_text(std::string& into, const std::string& value, std::size_t bytes_max) {
  if (value.empty() || value.size() > bytes_max) return fmt::format("must have 1 to {} bytes", bytes_max);
  into = value;
  return "";
}

std::string set_time(std::optional<TimePoint>& into, const std::string& value) {
  into = parse_rfc3339(value);
  return into ? "" : "must be an RFC 3339 time such as 2026-11-15T21:00:00Z";
}

std::string set_page_limit(int& limit, std::string_view value) {
  const auto read = whole_number<int>(value);
  if (!read || *read < 1 || *read > kPageMax)
    return fmt::format("must be a whole number from 1 to {}", kPageMax);
  limit = *read;
  return "";
}

std::string set_cursor(std::optional<JobId>& before, const std::string& value) {
  before = parse_job_id(value);
  return before ? "" : kNoCursor;
}

std::string set_cursor(std::optional<std::int64_t>& before, const std::string& value) {
  before = whole_number<std::int64_t>(value);
  return before && *before > 0 ? "" : kNoCursor;
}

}  // namespace eilbote
