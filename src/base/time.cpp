#include "base/time.h"

#include <array>

namespace eilbote {
namespace {

using namespace std::chrono;

// Reads exactly `digits` decimal digits at `pos` and moves on; -1 when there are none.
int number(std::string_view text, std::size_t& pos, int digits) {
  int value = 0;
  for (int i = 0; i < digits; ++i, ++pos) {
    if (pos >= text.size() || text[pos] < '0' || text[pos] > '9') return -1;
    value = value * 10 + (text[pos] - '0');
  }
  return value;
}

bool literal(std::string_view text, std::size_t& pos, char upper) {
  if (pos >= text.size()) return false;
  const char c = text[pos];
  if (c != upper && !(upper >= 'A' && upper <= 'Z' && c == upper + 32)) return false;
  ++pos;
  return true;
}

// The fraction after '.', to microseconds; further digits are read and cut off.
std::optional<microseconds> fraction(std::string_view text, std::size_t& pos) {
  int digits = 0;
  std::int64_t value = 0;
  while (pos < text.size() && text[pos] >= '0' && text[pos] <= '9') {
    if (digits < 6) value = value * 10 + (text[pos] - '0');
    ++digits;
    ++pos;
  }
  if (digits == 0 || digits > 9) return std::nullopt;
  for (int i = digits; i < 6; ++i)
    value *= 10;
  return microseconds{value};
}

std::optional<minutes> offset(std::string_view text, std::size_t& pos) {
  if (literal(text, pos, 'Z')) return minutes{0};
  if (pos >= text.size() || (text[pos] != '+' && text[pos] != '-')) return std::nullopt;
  const int sign = text[pos++] == '-' ? -1 : 1;
  const int h = number(text, pos, 2);
  if (h < 0 || h > 23 || !literal(text, pos, ':')) return std::nullopt;
  const int m = number(text, pos, 2);
  if (m < 0 || m > 59) return std::nullopt;
  return minutes{sign * (h * 60 + m)};
}

// Every mail and every answer has times in it, hence digits written in place, up to `last`.
void write_digits(std::string& text, std::size_t last, auto value, int digits) {
  auto rest = static_cast<unsigned>(value);
  for (; digits > 0; --digits, rest /= 10)
    text[last--] = static_cast<char>('0' + rest % 10);
}
// Hours, minutes and seconds; those of the hours end at `last`.
void write_clock(std::string& text, std::size_t last, const auto& clock) {
  write_digits(text, last, clock.hours().count(), 2);
  write_digits(text, last + 3, clock.minutes().count(), 2);
  write_digits(text, last + 6, clock.seconds().count(), 2);
}

}  // namespace

std::string to_rfc3339(TimePoint at) {
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<milliseconds>(at - day)};
  std::string text = "2026-01-01T00:00:00.000Z";
  write_digits(text, 3, static_cast<int>(date.year()), 4);
  write_digits(text, 6, static_cast<unsigned>(date.month()), 2);
  write_digits(text, 9, static_cast<unsigned>(date.day()), 2);
  write_clock(text, 12, clock);
  write_digits(text, 22, clock.subseconds().count(), 3);
  return text;
}

std::string to_internet_date(TimePoint at) {
  constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(at - day)};
  std::string text = "Thu, 01 Jan 2026 00:00:00";
  text.replace(0, 3, kDays[weekday{day}.c_encoding()]);
  write_digits(text, 6, static_cast<unsigned>(date.day()), 2);
  text.replace(8, 3, kMonths[static_cast<unsigned>(date.month()) - 1]);
  write_digits(text, 15, static_cast<int>(date.year()), 4);
  write_clock(text, 18, clock);
  return text;
}

std::optional<TimePoint> parse_rfc3339(std::string_view text) {
  std::size_t pos = 0;
  const int y = number(text, pos, 4);
  if (y < 0 || !literal(text, pos, '-')) return std::nullopt;
  const int mo = number(text, pos, 2);
  if (mo < 0 || !literal(text, pos, '-')) return std::nullopt;
  const int d = number(text, pos, 2);
  if (d < 0 || !literal(text, pos, 'T')) return std::nullopt;
  const int h = number(text, pos, 2);
  if (h < 0 || h > 23 || !literal(text, pos, ':')) return std::nullopt;
  const int mi = number(text, pos, 2);
  if (mi < 0 || mi > 59 || !literal(text, pos, ':')) return std::nullopt;
  const int s = number(text, pos, 2);
  if (s < 0 || s > 60) return std::nullopt;  // 60: a leap second, folded into the next minute
  microseconds part{0};
  if (pos < text.size() && text[pos] == '.') {
    ++pos;
    const auto read = fraction(text, pos);
    if (!read) return std::nullopt;
    part = *read;
  }
  const auto shift = offset(text, pos);
  if (!shift || pos != text.size()) return std::nullopt;
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)}, day{static_cast<unsigned>(d)}};
  if (!date.ok()) return std::nullopt;
  return TimePoint{sys_days{date}} + hours{h} + minutes{mi} + seconds{s} + part - *shift;
}

}  // namespace eilbote
