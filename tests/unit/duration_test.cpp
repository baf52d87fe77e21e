// Durations as people write them.
#include "base/duration.h"

#include <gtest/gtest.h>

namespace eilbote::duration_test {
namespace {

using namespace std::chrono_literals;

TEST(Duration, reads_what_people_write) {
  const struct {
    const char* input;
    Duration want;
  } cases[] = {
      {"250ms", 250ms}, {"30s", 30s}, {"30", 30s}, {"5m", 5min},       {"1h", 1h},
      {"5d", 120h},     {"0", 0s},    {"0s", 0s},  {"3650d", 87'600h}, {"007s", 7s},
  };
  for (const auto& c : cases) {
    const auto got = parse_duration(c.input);
    ASSERT_TRUE(got.has_value()) << c.input;
    EXPECT_EQ(*got, c.want) << c.input;
  }
}

TEST(Duration, refuses_anything_else) {
  for (const char* input : {"",
                            "s",
                            "m5",
                            "5 m",
                            " 5m",
                            "5m ",
                            "-5m",
                            "+5m",
                            "1.5h",
                            "5w",
                            "5M",
                            "5min",
                            "1h30m",
                            "ms",
                            "3651d",
                            "99999999999999999999",
                            "99999999999999999999d",
                            "9223372036854775807h",
                            "0x10s",
                            "5\xC2\xB5s"}) {
    const auto got = parse_duration(input);
    ASSERT_FALSE(got.has_value()) << input;
    EXPECT_EQ(got.error().kind, ErrorKind::invalid);
    EXPECT_NE(got.error().message.find("must be"), std::string::npos);
  }
}

TEST(Duration, is_written_in_its_largest_whole_unit) {
  const struct {
    Duration input;
    const char* want;
  } cases[] = {{0s, "0s"},    {250ms, "250ms"}, {1s, "1s"},         {90s, "90s"}, {60s, "1m"},
               {3600s, "1h"}, {120h, "5d"},     {1500ms, "1500ms"}, {36h, "36h"}, {7us, "7us"}};
  for (const auto& c : cases)
    EXPECT_EQ(duration_text(c.input), c.want);
  for (const Duration value : {250ms, 1000ms, 61'000ms, 3'600'000ms, 86'400'000ms})
    EXPECT_EQ(parse_duration(duration_text(value)).value(), value);
}

}  // namespace
}  // namespace eilbote::duration_test
