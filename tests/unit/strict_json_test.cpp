// The strict reading of JSON: what is refused, where, and in which words; what is taken as it stands.
#include "domain/strict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace eilbote::strict_json_test {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

// The value as it was read; "broken: ..." or its faults, "/a is given twice".
std::string read(std::string_view text) {
  const auto value = parse_strict_json(text, {});
  if (value) return boost::json::serialize(*value);
  if (!value.error().broken.empty()) return "broken: " + value.error().broken;
  std::string faults;
  for (const Fault& fault : value.error().faults)
    (faults += faults.empty() ? "" : "; ") += fault.pointer + " " + fault.detail;
  return faults;
}

struct Case {
  std::string name;
  std::string text;
  std::string want;
};

TEST(StrictJson, takes_every_kind_of_value) {
  const Case cases[] = {
      {"an object", R"({"a": [1, -2, true, false, null, "x"]})", R"({"a":[1,-2,true,false,null,"x"]})"},
      {"a number beyond 63 bits", "18446744073709551615", "18446744073709551615"},
      {"an escaped text", R"("a\u00e4\n")", "\"aä\\n\""},
      {"an escaped name", R"({"\u0061b": 1})", R"({"ab":1})"},
      {"blanks around it", " \t\r\n[] \n", "[]"},
      {"as deep as may be", repeated("[", 32) + repeated("]", 32), repeated("[", 32) + repeated("]", 32)},
  };
  for (const Case& c : cases)
    EXPECT_EQ(read(c.text), c.want) << c.name;
}

TEST(StrictJson, says_where_the_text_stops_being_json) {
  const Case cases[] = {
      {"nothing", "", "broken: line 1, column 1 (offset 0): the text ends too early"},
      {"half of it", "{\"a\":\n 1", "broken: line 2, column 3 (offset 8): the text ends too early"},
      {"more after it", "{} {}",
       "broken: line 1, column 4 (offset 3): there is more after the end of the value"},
      {"an infinite number", "1e999", "broken: line 1, column 6 (offset 5): the number is out of range"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(read(c.text), c.want) << c.name;
  EXPECT_THAT(read(repeated("[", 33) + repeated("]", 33)), testing::HasSubstr("deeper than 32 levels"));
  EXPECT_THAT(read("{\"a\": 1 /* one */}"), testing::StartsWith("broken: line 1, column 9")) << "no comments";
  EXPECT_THAT(read("\"\xFF\""), testing::StartsWith("broken: ")) << "no UTF-8";
}

TEST(StrictJson, a_million_values_are_the_limit) {
  // The array itself is one.
  const std::string most = "[" + repeated("0,", kJsonValuesMax - 2) + "0]";
  EXPECT_TRUE(parse_strict_json(most, {}));
  EXPECT_THAT(read("[0," + most.substr(1)), testing::EndsWith(": more than 1000000 values"));
}

TEST(StrictJson, names_every_member_that_is_there_twice) {
  const Case cases[] = {
      {"at the top", R"({"a": 1, "b": 2, "a": 3})", "/a is given twice"},
      {"three times", R"({"a": 1, "a": 2, "a": 3})", "/a is given twice; /a is given twice"},
      {"behind values of every kind",
       R"({"a": [18446744073709551615, -1, 1.5, true, null, "\u0061b", {"x": {}, "x": []}]})",
       "/a/6/x is given twice"},
      {"spelled with an escape", R"({"ab": 1, "\u0061b": 2})", "/ab is given twice"},
      {"a name that a pointer has to escape", R"({"a/b~": 1, "a/b~": 2})", "/a~1b~0 is given twice"},
      {"the same name in two objects", R"([{"a": 1}, {"a": 1}])", R"([{"a":1},{"a":1}])"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(read(c.text), c.want) << c.name;
}

TEST(StrictJson, takes_no_nul_in_texts_and_names) {
  const Case cases[] = {
      {"a text", R"("a\u0000b")", " must not contain U+0000"},
      {"texts inside", R"({"a": ["x", "\u0000"], "b": {"c": "\u0000"}})",
       "/a/1 must not contain U+0000; /b/c must not contain U+0000"},
      {"a name", R"({"a": {"\u0000": 1}})", "/a a member's name must not contain U+0000"},
      {"only the look of it", R"("\\u0000")", R"("\\u0000")"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(read(c.text), c.want) << c.name;
}

TEST(StrictJson, tells_of_a_hundred_faults_and_no_more) {
  const auto faults = [](const std::string& text) {
    const auto value = parse_strict_json(text, {});
    return value ? 0U : value.error().faults.size();
  };
  EXPECT_EQ(faults("[" + repeated("{\"a\": 1, \"a\": 2},", 150) + "0]"), 100U);
  EXPECT_EQ(faults("[" + repeated("\"\\u0000\",", 150) + "0]"), 100U);
}

}  // namespace
}  // namespace eilbote::strict_json_test
