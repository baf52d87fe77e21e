// RFC 3339 in and out.
#include "base/time.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace eilbote::time_test {
namespace {

using namespace std::chrono_literals;

TimePoint at(int y, unsigned mo, unsigned d, Duration of_day = Duration{0}) {
  return TimePoint{std::chrono::sys_days{std::chrono::year{y} / static_cast<int>(mo) / static_cast<int>(d)}} +
         of_day;
}

TEST(Time, reads_rfc3339) {
  const struct {
    const char* name;
    const char* input;
    TimePoint want;
  } cases[] = {
      {"whole seconds", "2026-11-15T21:00:00Z", at(2026, 11, 15, 21h)},
      {"milliseconds", "2026-11-15T21:00:00.123Z", at(2026, 11, 15, 21h + 123ms)},
      {"one digit", "2026-11-15T21:00:00.5Z", at(2026, 11, 15, 21h + 500ms)},
      {"microseconds", "2026-11-15T21:00:00.000001Z", at(2026, 11, 15, 21h + 1us)},
      {"nanoseconds are cut", "2026-11-15T21:00:00.000001999Z", at(2026, 11, 15, 21h + 1us)},
      {"lower case", "2026-11-15t21:00:00z", at(2026, 11, 15, 21h)},
      {"east of Greenwich", "2026-11-15T23:00:00+02:00", at(2026, 11, 15, 21h)},
      {"west of Greenwich", "2026-11-15T15:30:00-05:30", at(2026, 11, 15, 21h)},
      {"over midnight", "2026-01-01T00:30:00+01:00", at(2025, 12, 31, 23h + 30min)},
      {"minus zero", "2026-11-15T21:00:00-00:00", at(2026, 11, 15, 21h)},
      {"leap day", "2024-02-29T00:00:00Z", at(2024, 2, 29)},
      {"leap second", "2016-12-31T23:59:60Z", at(2017, 1, 1)},
      {"before 1970", "1969-12-31T23:59:59.999Z", at(1970, 1, 1, -1ms)},
      {"year 9999", "9999-12-31T23:59:59.999Z", at(9999, 12, 31, 24h - 1ms)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto got = parse_rfc3339(c.input);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(*got, c.want);
  }
}

TEST(Time, refuses_what_is_not_rfc3339) {
  const char* const cases[] = {
      "",
      "now",
      "2026",
      "2026-11-15",
      "2026-11-15T21:00:00",
      "2026-11-15 21:00:00Z",
      "2026-11-15T21:00Z",
      "2026-11-15T21:00:00.Z",
      "2026-11-15T21:00:00.1234567890Z",
      "2026-11-15T21:00:00,5Z",
      "2026-11-15T24:00:00Z",
      "2026-11-15T21:60:00Z",
      "2026-11-15T21:00:61Z",
      "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z",
      "2026-11-31T00:00:00Z",
      "2026-11-00T00:00:00Z",
      "2025-02-29T00:00:00Z",
      "2026-11-15T21:00:00+0200",
      "2026-11-15T21:00:00+24:00",
      "2026-11-15T21:00:00+02:60",
      "2026-11-15T21:00:00+2:00",
      "2026-11-15T21:00:00Z ",
      " 2026-11-15T21:00:00Z",
      "2026-11-15T21:00:00ZZ",
      "26-11-15T21:00:00Z",
      "12026-11-15T21:00:00Z",
      "-026-11-15T21:00:00Z",
      "2026-1-15T21:00:00Z",
      "2026-11-15T2a:00:00Z",
      "2026/11/15T21:00:00Z",
      "20261115T210000Z",
  };
  for (const char* input : cases)
    EXPECT_FALSE(parse_rfc3339(input).has_value()) << input;
}

TEST(Time, writes_milliseconds_and_z) {
  const struct {
    const char* name;
    TimePoint input;
    const char* want;
  } cases[] = {
      {"midnight", at(2026, 1, 1), "2026-01-01T00:00:00.000Z"},
      {"milliseconds", at(2026, 11, 15, 21h + 4min + 5s + 67ms), "2026-11-15T21:04:05.067Z"},
      {"microseconds are cut", at(2026, 11, 15, 999us), "2026-11-15T00:00:00.000Z"},
      {"end of a year", at(2026, 12, 31, 24h - 1us), "2026-12-31T23:59:59.999Z"},
      {"before 1970", at(1969, 12, 31, 24h - 1us), "1969-12-31T23:59:59.999Z"},
      {"small year", at(7, 3, 2), "0007-03-02T00:00:00.000Z"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(to_rfc3339(c.input), c.want) << c.name;
}

TEST(Time, what_it_writes_it_reads) {
  TimePoint moment = at(2020, 1, 1);
  for (int i = 0; i < 20'000; ++i, moment += 5h + 17min + 3s + 211ms)
    ASSERT_EQ(parse_rfc3339(to_rfc3339(moment)), moment) << to_rfc3339(moment);
}

TEST(Time, fake_clock_moves_only_when_told) {
  FakeClock clock(at(2026, 5, 1));
  const auto steady = clock.steady_now();
  EXPECT_EQ(clock.now(), at(2026, 5, 1));
  clock.advance(90s);
  EXPECT_EQ(clock.now(), at(2026, 5, 1, 90s));
  EXPECT_EQ(clock.steady_now() - steady, 90s);
}

}  // namespace
}  // namespace eilbote::time_test
