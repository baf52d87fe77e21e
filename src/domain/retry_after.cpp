#include "domain/retry_after.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace eilbote {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                "Friday", "Saturday", "Sunday"};

// Reads a date from left to right; once something does not fit, everything after it fails too.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool is_whole() const { return fits_ && rest_.empty(); }
  bool fits() const { return fits_; }

  DateReader& literal(std::string_view text) {
    fits_ = fits_ && rest_.starts_with(text);
    if (fits_) rest_.remove_prefix(text.size());
    return *this;
  }
  // Exactly `digits` of them; `blank`: the first may be a blank.
  DateReader& number(int digits, int& value, bool blank = false) {
    value = 0;
    for (int i = 0; i < digits && fits_; ++i) {
      const char c = rest_.empty() ? '\0' : rest_.front();
      const bool is_digit = c >= '0' && c <= '9';
      fits_ = is_digit || (blank && i == 0 && c == ' ');
      if (is_digit) value = value * 10 + (c - '0');
      if (fits_) rest_.remove_prefix(1);
    }
    return *this;
  }
  DateReader& month(unsigned& value) {
    const auto found = std::find(kMonths.begin(), kMonths.end(), rest_.substr(0, 3));
    fits_ = fits_ && found != kMonths.end();
    if (fits_) rest_.remove_prefix(3);
    value = static_cast<unsigned>(found - kMonths.begin()) + 1;
    return *this;
  }
  // The day's whole name, or its first `characters`.
  DateReader& day_name(std::size_t characters) {
    const auto found = std::find_if(kDays.begin(), kDays.end(), [&](std::string_view day) {
      return rest_.starts_with(day.substr(0, characters));
    });
    fits_ = fits_ && found != kDays.end();
    if (fits_) rest_.remove_prefix(std::min(found->size(), characters));
    return *this;
  }
  DateReader& time(Duration& value) {
    int h = 0, m = 0, s = 0;
    number(2, h).literal(":").number(2, m).literal(":").number(2, s);
    fits_ = fits_ && h < 24 && m < 60 && s <= 60;  // 60: a leap second
    value = hours{h} + minutes{m} + seconds{s};
    return *this;
  }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

struct Parts {
  int year = 0, day = 0;
  unsigned month = 0;
  Duration time{};

  std::optional<TimePoint> point() const {
    const year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    return TimePoint{sys_days{date}} + time;
  }
};

// A year of two digits is the one within 50 years of now (RFC 9110 §5.6.7).
int full_year(int two_digits, TimePoint now) {
  const int this_year = static_cast<int>(year_month_day{floor<days>(now)}.year());
  const int candidate = this_year / 100 * 100 + two_digits;
  if (candidate > this_year + 50) return candidate - 100;
  return candidate <= this_year - 50 ? candidate + 100 : candidate;
}

}  // namespace

std::optional<TimePoint> parse_http_date(std::string_view text, TimePoint now) {
  Parts at;
  if (DateReader in(text); in.day_name(3)
                               .literal(", ")
                               .number(2, at.day)
                               .literal(" ")
                               .month(at.month)
                               .literal(" ")
                               .number(4, at.year)
                               .literal(" ")
                               .time(at.time)
                               .literal(" GMT")
                               .is_whole())
    return at.point();
  int two_digits = 0;
  if (DateReader in(text); in.day_name(9)
                               .literal(", ")
                               .number(2, at.day)
                               .literal("-")
                               .month(at.month)
                               .literal("-")
                               .number(2, two_digits)
                               .literal(" ")
                               .time(at.time)
                               .literal(" GMT")
                               .is_whole()) {
    at.year = full_year(two_digits, now);
    return at.point();
  }
  if (DateReader in(text); in.day_name(3)
                               .literal(" ")
                               .month(at.month)
                               .literal(" ")
                               .number(2, at.day, true)
                               .literal(" ")
                               .time(at.time)
                               .literal(" ")
                               .number(4, at.year)
                               .is_whole())
    return at.point();
  return std::nullopt;
}

std::optional<Duration> parse_retry_after(std::string_view text, TimePoint now) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  Duration wait{};
  if (text.find_first_not_of("0123456789") == std::string_view::npos) {
    // Longer numbers are all more than a day.
    const std::string digits(text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)));
    wait = digits.size() > 9 ? kRetryAfterMax : Duration{seconds{std::stol(digits)}};
  } else if (const auto date = parse_http_date(text, now)) {
    wait = *date - now;
  } else {
    return std::nullopt;
  }
  return std::clamp(wait, kRetryAfterMin, kRetryAfterMax);
}

}  // namespace eilbote
