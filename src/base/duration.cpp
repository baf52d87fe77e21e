#include "base/duration.h"

#include <fmt/format.h>

#include <array>

namespace eilbote {
namespace {

struct Unit {
  std::string_view suffix;
  Duration length;
};
// Largest first, so that duration_text finds the shortest text.
constexpr std::array<Unit, 5> kUnits{{{"d", std::chrono::days{1}},
                                      {"h", std::chrono::hours{1}},
                                      {"m", std::chrono::minutes{1}},
                                      {"s", std::chrono::seconds{1}},
                                      {"ms", std::chrono::milliseconds{1}}}};

constexpr std::string_view kDurationForm = "must be a whole number with a unit: 250ms, 30s, 5m, 1h or 5d";
// Ten years; nothing in the engine waits longer, and sums of such values stay far from overflow.
constexpr Duration kDurationMax = std::chrono::days{3650};

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::size_t digits = 0;
  std::int64_t count = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (count > kDurationMax.count()) return fail(ErrorKind::invalid, "must be at most 3650d");
    count = count * 10 + (text[digits] - '0');
  }
  if (digits == 0) return fail(ErrorKind::invalid, std::string(kDurationForm));
  const std::string_view suffix = digits == text.size() ? std::string_view("s") : text.substr(digits);
  for (const Unit& unit : kUnits) {
    if (unit.suffix != suffix) continue;
    if (count > kDurationMax / unit.length) return fail(ErrorKind::invalid, "must be at most 3650d");
    return unit.length * count;
  }
  return fail(ErrorKind::invalid, std::string(kDurationForm));
}

std::string duration_text(Duration value) {
  if (value == Duration{0}) return "0s";
  for (const Unit& unit : kUnits)
    if (value % unit.length == Duration{0}) return fmt::format("{}{}", value / unit.length, unit.suffix);
  return fmt::format("{}us", value.count());
}

}  // namespace eilbote
