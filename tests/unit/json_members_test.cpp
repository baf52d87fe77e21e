// Members of JSON that programs wrote: there, of their kind, or nothing.
#include "domain/json_members.h"

#include <gtest/gtest.h>

namespace eilbote::test::json_members_test {
namespace {

TEST(JsonMembers, read_as_nothing_when_they_are_something_else) {
  const boost::json::value value = parse_json(R"({"a":{"b":"text","n":7,"f":1.5},"t":"x"})");
  EXPECT_EQ(eilbote::text_at(value, {"a", "b"}), "text");
  EXPECT_EQ(eilbote::text_at(value, {"a", "n"}), "");
  EXPECT_EQ(eilbote::text_at(value, {"a"}), "");
  EXPECT_EQ(eilbote::text_at(value, {"t", "b"}), "");
  EXPECT_EQ(eilbote::text_at(value, {"none", "b"}), "");
  EXPECT_EQ(number_at(value, {"a", "n"}), 7);
  EXPECT_EQ(number_at(value, {"a", "f"}), std::nullopt);
  EXPECT_EQ(number_at(value, {"a", "b"}), std::nullopt);
  const boost::json::object& inner = value.at("a").get_object();
  EXPECT_EQ(text_in(inner, "b"), "text");
  EXPECT_EQ(text_in(inner, "none"), "");
  EXPECT_EQ(number_in(inner, "n"), 7);
  EXPECT_EQ(number_in(inner, "b"), std::nullopt);
  EXPECT_TRUE(parse_json("{broken").is_null());
}

}  // namespace
}  // namespace eilbote::test::json_members_test
