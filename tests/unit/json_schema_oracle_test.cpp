// Our check of JSON Schemas beside Ajv: hundreds of random schemas, thousands of values, and both must agree on every pair.
// In draft 7, because Ajv stumbles over its own bookkeeping for later ones (`unevaluated`).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>
#include <random>

#include "api/json_schema.h"
#include "support/child_process.h"
#include "support/temp_folder.h"
#include "support/test_seed.h"

namespace eilbote::json_schema_oracle_test {
namespace {

namespace json = boost::json;

constexpr int kSchemas = 800;
constexpr int kValuesEach = 12;

// Draws from small sets, so that schemas and values meet often.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  json::value value(int depth = 3) {
    switch (upto(depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return upto(1) == 1;
      case 2:
        return static_cast<std::int64_t>(upto(6)) - 2;
      case 3:
        return (static_cast<double>(upto(12)) - 4) / 2;
      case 4:
      case 5:
      case 6:
        return json::string(pick({"", "a", "ab", "abc", "äöü", "x-1", "b\nc"}));
      case 7: {
        json::array array;
        for (std::size_t n = upto(3); n > 0; --n)
          array.push_back(value(depth - 1));
        return array;
      }
      default: {
        json::object object;
        for (std::size_t n = upto(3); n > 0; --n)
          object[name()] = value(depth - 1);
        return object;
      }
    }
  }

  // At the root also definitions, which references anywhere inside may mean.
  json::value root() {
    json::value drawn = schema(3);
    if (json::object* object = drawn.if_object())
      (*object)["$defs"] = json::object{{"a", schema(1, false)}, {"b", schema(2, false)}};
    return drawn;
  }

 private:
  std::size_t upto(std::size_t max) { return std::uniform_int_distribution<std::size_t>(0, max)(random_); }
  const char* pick(std::initializer_list<const char*> of) { return *(of.begin() + upto(of.size() - 1)); }
  const char* name() { return pick({"a", "b", "abc", "x-1", "ä"}); }
  const char* type() { return pick({"null", "boolean", "integer", "number", "string", "array", "object"}); }
  const char* pattern() { return pick({"^a", "b$", "^.{2,3}$", "[0-9]", "ä", "^(a|b)+$", "^x-", "a.c"}); }

  // Definitions do not refer to each other: Ajv follows a reference without end.
  json::value schema(int depth, bool refers = true) {
    if (upto(14) == 0) return upto(3) != 0;
    json::object object;
    for (std::size_t n = 1 + upto(2); n > 0; --n)
      add_keyword(object, depth, refers);
    return object;
  }

  json::array schemas(int depth, bool refers) {
    json::array array;
    for (std::size_t n = 1 + upto(2); n > 0; --n)
      array.push_back(schema(depth, refers));
    return array;
  }

  void add_plain(json::object& object) {
    switch (upto(11)) {
      case 0:
        object["type"] = type();
        break;
      case 1: {
        json::array types{json::value(type())};
        if (const json::value other = json::value(type()); other != types[0]) types.push_back(other);
        object["type"] = std::move(types);
        break;
      }
      case 2:
        object["enum"] = json::array{value(1), json::object{{"only", "here"}}};
        break;
      case 3:
        object["const"] = value(1);
        break;
      case 4:
        object[pick({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})] =
            static_cast<std::int64_t>(upto(4)) - 1;
        break;
      case 5:
        object["multipleOf"] = json::array{0.5, 2, 3, 1.5}[upto(3)];
        break;
      case 6:
        object[pick({"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"})] =
            static_cast<std::int64_t>(upto(3));
        break;
      case 7:
        object["pattern"] = pattern();
        break;
      case 8:
        object["uniqueItems"] = true;
        break;
      case 9:
        object["required"] = json::array{json::value(name())};
        break;
      default:
        object["propertyNames"] = json::object{{"maxLength", static_cast<std::int64_t>(upto(3))}};
        break;
    }
  }

  void add_keyword(json::object& object, int depth, bool refers) {
    if (depth == 0 || upto(2) == 0) return add_plain(object);
    switch (upto(9)) {
      case 0:
        object["properties"] =
            json::object{{name(), schema(depth - 1, refers)}, {"zz", schema(depth - 1, refers)}};
        break;
      case 1:
        object["patternProperties"] = json::object{{pattern(), schema(depth - 1, refers)}};
        break;
      case 2:
        object["additionalProperties"] = schema(depth - 1, refers);
        break;
      case 3:
        object["items"] = schema(depth - 1, refers);
        break;
      case 4:
        object["items"] = schemas(depth - 1, refers);
        object["additionalItems"] = schema(depth - 1, refers);
        break;
      case 5:
        // Ajv takes an empty array for one that contains something when another keyword looked at its items before.
        object["allOf"] = json::array{json::object{{"contains", schema(depth - 1, refers)}, {"minItems", 1}}};
        break;
      case 6:
        object[pick({"allOf", "anyOf", "oneOf"})] = schemas(depth - 1, refers);
        break;
      case 7:
        object["not"] = schema(depth - 1, refers);
        break;
      case 8:
        object["if"] = schema(depth - 1, refers);
        object[pick({"then", "else"})] = schema(depth - 1, refers);
        break;
      default:
        if (refers)
          object["$ref"] = pick({"#/$defs/a", "#/$defs/b"});
        else
          add_plain(object);
        break;
    }
  }

  std::mt19937_64 random_;
};

TEST(JsonSchemaOracle, ajv_says_the_same_of_random_schemas) {
  const std::uint64_t seed = test::test_seed();
  Draw draw(seed);
  const test::TempFolder folder;
  const std::string file = folder / "cases.jsonl";
  int fitting = 0;
  {
    std::ofstream out(file);
    for (int i = 0; i < kSchemas; ++i) {
      const json::value schema = draw.root();
      const auto compiled = JsonSchema::compile(schema);
      ASSERT_TRUE(compiled) << json::serialize(schema) << ": " << compiled.error()[0].pointer << " "
                            << compiled.error()[0].detail;
      json::array cases;
      for (int k = 0; k < kValuesEach; ++k) {
        const json::value value = draw.value();
        const bool fits = compiled->check(value).empty();
        fitting += fits ? 1 : 0;
        cases.push_back(json::object{{"value", value}, {"fits", fits}});
      }
      out << json::serialize(json::object{{"schema", schema}, {"cases", std::move(cases)}}) << '\n';
    }
  }
  EXPECT_GT(fitting, kSchemas) << "both kinds must be among them";
  EXPECT_LT(fitting, kSchemas * (kValuesEach - 1));
  const auto ajv = test::run_command({"node", EILBOTE_SOURCE_DIR "/tests/node/json_schema_oracle.js", file});
  EXPECT_EQ(ajv.exit_code, 0) << ajv.out << ajv.err << "\nrepeat with EILBOTE_TEST_SEED=" << seed;
  EXPECT_NE(ajv.out.find(fmt::format("{} judged", kSchemas * kValuesEach)), std::string::npos) << ajv.out;
}

}  // namespace
}  // namespace eilbote::json_schema_oracle_test
