// Whether a text is JSON, without building the value: every kind of value passes, and a fault is told by its place.
#include "domain/json_text.h"

#include <gtest/gtest.h>

namespace eilbote::json_text_test {
namespace {

TEST(JsonText, passes_every_kind_of_value) {
  for (const char* text : {"{}", "[]", "null", "true", "-1", "18446744073709551615", "1.5e3", R"("a\u00e4")",
                           R"({"\u0061b": [1, "x", {"c": null}], "ab": false})", " \r\n\t{\"a\": 1}\n "})
    EXPECT_FALSE(find_json_fault(text)) << text;
}

TEST(JsonText, tells_where_it_stops_being_json) {
  struct Case {
    std::string text;
    std::size_t offset;
  };
  const Case cases[] = {
      {"", 0},     {"{\"a\": }", 6}, {"[1, 2", 5},          {"{} {}", 3},
      {"{}\v", 2}, {"nul", 3},       {"1 // a comment", 2}, {"{\"a\": 1 /* a comment */}", 8},
      {"[1,]", 3},
  };
  for (const Case& c : cases) {
    const auto fault = find_json_fault(c.text);
    ASSERT_TRUE(fault) << c.text;
    EXPECT_EQ(fault->offset, c.offset) << c.text << ": " << fault->what;
    EXPECT_FALSE(fault->what.empty()) << c.text;
  }
}

TEST(JsonText, depth_ends) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_FALSE(find_json_fault(nested(kJsonTextDepthMax)));
  EXPECT_TRUE(find_json_fault(nested(kJsonTextDepthMax + 1)));
}

}  // namespace
}  // namespace eilbote::json_text_test
