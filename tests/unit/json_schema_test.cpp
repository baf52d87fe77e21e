// JSON Schema: one row per keyword with what fits and what does not, what is refused, and what can never hurt us.
#include "api/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/schema_book.h"
#include "domain/tsid.h"
#include "support/fake_registry.h"

namespace eilbote::json_schema_test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

JsonSchema compiled(const std::string& schema) {
  auto result = JsonSchema::compile(json::parse(schema));
  if (!result)
    throw std::runtime_error(schema + ": " + result.error().front().pointer + " " +
                             result.error().front().detail);
  return std::move(*result);
}

struct Row {
  const char* schema;
  std::vector<const char*> good;
  std::vector<const char*> bad;
};
const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"true", {"1", "{}"}, {}},
      {"false", {}, {"1", "null"}},
      {"{}", {"1", "null", "[]"}, {}},
      {R"({"type":"string"})", {R"("a")"}, {"1", "null", "{}"}},
      {R"({"type":"integer"})", {"1", "1.0", "-3", "1e3", "18446744073709551615"}, {"1.5", R"("1")", "true"}},
      {R"({"type":"number"})", {"1", "1.5"}, {R"("1")", "false"}},
      {R"({"type":["string","null"]})", {R"("a")", "null"}, {"1"}},
      {R"({"type":"boolean"})", {"true"}, {"0"}},
      {R"({"enum":[1,"a",{"x":[1]}]})", {"1", "1.0", R"("a")", R"({"x":[1]})"}, {"2", R"({"x":[1,2]})"}},
      {R"({"const":{"a":1,"b":2}})", {R"({"b":2,"a":1.0})"}, {R"({"a":1})"}},
      {R"({"const":1,"enum":[1,2]})", {"1"}, {"2", "3"}},
      {R"({"minimum":1,"maximum":3})", {"1", "3", R"("text")"}, {"0.9", "4"}},
      {R"({"exclusiveMinimum":1,"exclusiveMaximum":3})", {"2", "1.1"}, {"1", "3"}},
      {R"({"multipleOf":0.1})", {"0.3", "1", "0", "19.9"}, {"0.35"}},
      {R"({"multipleOf":3})", {"9", "-3"}, {"10"}},
      {R"({"minLength":2,"maxLength":3})", {R"("äö")", R"("abc")", "1"}, {R"("ä")", R"("abcd")"}},
      {R"({"pattern":"^a.c$"})", {R"("abc")", R"("aüc")", "7"}, {R"("ac")", R"("xabc")"}},
      {R"({"pattern":"^a.c$"})", {}, {R"("a\nc")", R"("x\nabc")", R"("abc\n")"}},
      {R"({"pattern":"b"})", {R"("abc")"}, {R"("ac")"}},
      {R"({"items":{"type":"integer"}})", {"[]", "[1,2]", "{}"}, {R"([1,"2"])"}},
      {R"({"prefixItems":[{"type":"string"}],"items":false})", {R"(["a"])", "[]"}, {"[1]", R"(["a",1])"}},
      {R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})",
       {R"(["a",null])"},
       {R"(["a",1])"}},
      {R"({"additionalItems":false,"items":{"type":"string"}})", {R"(["a"])"}, {"[1]"}},
      {R"({"additionalItems":false})", {"[1]"}, {}},
      {R"({"additionalItems":false,"items":[true]})", {"[1]"}, {"[1,2]"}},
      {R"({"minItems":1,"maxItems":2})", {"[1]", "[1,2]"}, {"[]", "[1,2,3]"}},
      {R"({"uniqueItems":true})", {"[1,2,[1]]", "[1,true]"}, {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
      {R"({"contains":{"const":3}})", {"[1,3]"}, {"[]", "[1]"}},
      {R"({"properties":{"a":{"type":"string"}}})", {"{}", R"({"a":"x","b":1})", "[]"}, {R"({"a":1})"}},
      {R"({"required":["a","b"]})", {R"({"a":1,"b":null})", "1"}, {R"({"a":1})"}},
      {R"({"properties":{"a":true},"additionalProperties":false})", {R"({"a":1})", "{}"}, {R"({"b":1})"}},
      {R"({"additionalProperties":{"type":"string"}})", {R"({"a":"x"})"}, {R"({"a":1})"}},
      {R"({"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false})",
       {R"({"x-a":"1"})"},
       {R"({"x-a":1})", R"({"y":1})"}},
      {R"({"propertyNames":{"maxLength":2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
      {R"({"minProperties":1,"maxProperties":2})", {R"({"a":1})"}, {"{}", R"({"a":1,"b":1,"c":1})"}},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", {"1.5"}, {"0", "3"}},
      {R"({"anyOf":[{"type":"string"},{"minimum":5}]})", {R"("a")", "6"}, {"4"}},
      {R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})", {"2", "3"}, {"6", "5"}},
      {R"({"not":{"type":"null"}})", {"1"}, {"null"}},
      {R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}})",
       {R"({"a":1,"b":1})", R"({"c":1})"},
       {R"({"a":1})", R"({"b":1})"}},
      {R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}})", {R"("x")"}, {"1"}},
      {R"({"$ref":"#/definitions/a~1b","definitions":{"a/b":{"type":"string"}},"minLength":2})",
       {R"("xy")"},
       {"1", R"("x")"}},
      {R"({"properties":{"next":{"$ref":"#"},"v":{"type":"integer"}},"required":["v"]})",
       {R"({"v":1,"next":{"v":2}})"},
       {R"({"v":1,"next":{"v":"2"}})", R"({"v":1,"next":{}})"}},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:x","title":"t","description":"d",
           "default":1,"examples":[1],"format":"email","x-note":1,"$comment":"c"})",
       {R"("not an address")"},
       {}}};
  return all;
}

TEST(JsonSchemaTest, every_keyword_tells_good_from_bad) {
  for (const auto& [schema, good, bad] : rows()) {
    const JsonSchema one = compiled(schema);
    for (const char* value : good)
      EXPECT_TRUE(one.check(json::parse(value)).empty()) << schema << " takes " << value;
    for (const char* value : bad)
      EXPECT_FALSE(one.check(json::parse(value)).empty()) << schema << " refuses " << value;
  }
}

TEST(JsonSchemaTest, points_at_every_fault_and_repeats_no_value) {
  const JsonSchema schema = compiled(
      R"({"required":["id"],"properties":{"items":{"items":{"properties":{"price":{"minimum":0}},"required":["sku"]}}},
          "additionalProperties":false})");
  const auto faults =
      schema.check(json::parse(R"({"items":[{"sku":"a","price":-17},{"price":1}],"a/b":"hunter2"})"));
  std::vector<std::string> pointers;
  for (const Fault& fault : faults) {
    pointers.push_back(fault.pointer);
    EXPECT_THAT(fault.detail, Not(HasSubstr("hunter2")));
    EXPECT_THAT(fault.detail, Not(HasSubstr("17")));
  }
  EXPECT_THAT(pointers, testing::UnorderedElementsAre("/id", "/items/0/price", "/items/1/sku", "/a~1b"));
}

TEST(JsonSchemaTest, never_lists_more_than_a_hundred_faults) {
  json::array many;
  for (int i = 0; i < 1'000; ++i)
    many.emplace_back("x");
  EXPECT_EQ(compiled(R"({"items":{"type":"integer"}})").check(many).size(), 100U);
}

struct Refused {
  const char* schema;
  const char* pointer;
  const char* says;
};
TEST(JsonSchemaTest, refuses_what_it_would_not_keep) {
  const Refused all[] = {
      {"1", "", "must be a schema"},
      {R"({"type":"text"})", "/type", "must be one of"},
      {R"({"type":[]})", "/type", "at least one"},
      {R"({"requird":["a"]})", "/requird", "did you mean 'required'"},
      {R"({"unevaluatedProperties":false})", "/unevaluatedProperties", "unknown field"},
      {R"({"$dynamicRef":"#a"})", "/$dynamicRef", "unknown field"},
      {R"({"properties":{"a":{"$id":"x"}}})", "/properties/a/$id", "unknown field"},
      {R"({"$ref":"https://example.org/schema.json"})", "/$ref", "nothing is fetched"},
      {R"({"$ref":"other.json#/a"})", "/$ref", "nothing is fetched"},
      {R"({"$ref":"#anchor"})", "/$ref", "nothing is fetched"},
      {R"({"$ref":"#/$defs/none"})", "/$ref", "not in this schema"},
      {R"({"$ref":"#/a~2"})", "/$ref", "nothing is fetched"},
      {R"({"pattern":"("})", "/pattern", "regular expression"},
      {R"({"patternProperties":{"[":true}})", "/patternProperties/[", "regular expression"},
      {R"({"minLength":-1})", "/minLength", "whole number"},
      {R"({"multipleOf":0})", "/multipleOf", "greater than 0"},
      {R"({"exclusiveMinimum":true})", "/exclusiveMinimum", "must be a number"},
      {R"({"anyOf":[]})", "/anyOf", "at least one"},
      {R"({"allOf":[7]})", "/allOf/0", "must be a schema"},
      {R"({"required":"a"})", "/required", "must be an array"},
      {R"({"properties":[]})", "/properties", "must be an object"}};
  for (const auto& [schema, pointer, says] : all) {
    const auto result = JsonSchema::compile(json::parse(schema));
    ASSERT_FALSE(result) << schema;
    EXPECT_EQ(result.error().front().pointer, pointer) << schema;
    EXPECT_THAT(result.error().front().detail, HasSubstr(says)) << schema;
  }
  EXPECT_FALSE(JsonSchema::compile(json::object{{"pattern", std::string(1'001, 'a')}}));
}

TEST(JsonSchemaTest, a_schema_that_refers_to_itself_for_ever_ends) {
  for (const char* schema : {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#"}]})", R"({"not":{"$ref":"#"}})"}) {
    const auto faults = compiled(schema).check(json::parse("1"));
    ASSERT_EQ(faults.size(), 1U) << schema;
    EXPECT_THAT(faults[0].detail, HasSubstr("too deep"));
  }
}

TEST(JsonSchemaTest, a_schema_that_multiplies_ends) {
  // Each level asks the next twice: 2^60 questions about one value.
  json::object defs;
  for (int i = 0; i < 60; ++i) {
    const json::object next{{"$ref", "#/$defs/l" + std::to_string(i + 1)}};
    defs["l" + std::to_string(i)] = json::object{{"anyOf", json::array{next, next}}};
  }
  defs["l60"] = false;
  const auto schema = JsonSchema::compile(json::object{{"$ref", "#/$defs/l0"}, {"$defs", defs}});
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->check(json::value(1)).size(), 1U);
}

TEST(JsonSchemaTest, no_pattern_and_no_text_can_hold_us_up) {
  const std::string long_text(1'000'000, 'a');
  for (const char* pattern : {"^(a+)+$", "(.*)*x", "^(a|aa)+$", "(a*)*b", "^.*$"}) {
    const JsonSchema schema = compiled(json::serialize(json::object{{"pattern", pattern}}));
    schema.check(json::value(long_text));
    schema.check(json::value(std::string(40, 'a') + "!"));
  }
  EXPECT_TRUE(compiled(R"({"pattern":"^a*$"})").check(json::value(std::string(100'000, 'a'))).empty());
  json::array many;
  for (int i = 0; i < 20'000; ++i)
    many.emplace_back(std::string(40, 'a') + "!");
  const auto faults = compiled(R"({"items":{"pattern":"^(a+)+$"}})").check(many);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0].detail, HasSubstr("too hard to match"));
}

class SchemaBookTest : public testing::Test {
 protected:
  std::string add(const std::string& content) {
    const JobId id{1'000 + static_cast<std::int64_t>(registry_.all_schemas.size())};
    registry_.all_schemas.push_back({id, "name", "", content, {}});
    return to_text(id);
  }
  test::FakeRegistry registry_;
  FakeClock clock_;
  SchemaBook book_{registry_, clock_};
};

TEST_F(SchemaBookTest, holds_payloads_against_a_schema_it_reads_once) {
  const std::string id = add(R"({"type":"object","required":["a"]})");
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(book_.check(id, R"({"a":1})")->empty());
  EXPECT_EQ(book_.check(id, "{}")->at(0), (Fault{"/a", "is required"}));
  EXPECT_EQ(registry_.schema_reads, 1);
}

TEST_F(SchemaBookTest, a_payload_that_is_no_json_does_not_fit) {
  const std::string id = add("true");
  for (const char* payload : {"", "{", "text", "{\"a\":1,\"a\":2}", "\xff"}) {
    const auto faults = book_.check(id, payload);
    ASSERT_TRUE(faults);
    ASSERT_EQ(faults->size(), 1U) << payload;
    EXPECT_THAT(faults->at(0).detail, HasSubstr("must be JSON"));
  }
  EXPECT_EQ(book_.check(id, std::string(100, '[') + std::string(100, ']'))->size(), 1U) << "too deep";
}

TEST_F(SchemaBookTest, an_unknown_id_is_asked_for_once_a_second) {
  const std::string unknown = to_text(JobId{7});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(book_.check(unknown, "{}").error().kind, ErrorKind::not_found);
  EXPECT_EQ(registry_.schema_reads, 1);
  EXPECT_EQ(book_.check("no id", "{}").error().kind, ErrorKind::not_found);
  registry_.all_schemas.push_back({JobId{7}, "late", "", "true", {}});
  clock_.advance(std::chrono::seconds{1});
  EXPECT_TRUE(book_.check(unknown, "{}"));
}

TEST_F(SchemaBookTest, says_when_the_registry_is_away) {
  registry_.away = true;
  EXPECT_EQ(book_.check(to_text(JobId{7}), "{}").error().kind, ErrorKind::unavailable);
}

}  // namespace
}  // namespace eilbote::json_schema_test
