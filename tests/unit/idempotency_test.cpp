// Canonical JSON: what must be one request is, what must be two are, and the form itself is pinned.
#include "domain/idempotency.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace eilbote::idempotency_test {
namespace {

std::string canonical(const std::string& text) {
  return canonical_json(boost::json::parse(text));
}

TEST(CanonicalJson, has_one_form) {
  const struct {
    const char* name;
    const char* input;
    const char* want;
  } cases[] = {
      {"literals", R"([null, true, false])", "[null,true,false]"},
      {"empty", R"({"a": {}, "b": [], "c": ""})", R"({"a":{},"b":[],"c":""})"},
      {"members are sorted", R"({"b":1,"a":2,"aa":3,"A":4})", R"({"A":4,"a":2,"aa":3,"b":1})"},
      {"sorted by UTF-8 bytes", R"({"é":1,"z":2,"😀":3,"€":4})", R"({"z":2,"é":1,"€":4,"😀":3})"},
      {"sorted in depth", R"({"x":[{"b":1,"a":[{"d":1,"c":2}]}]})", R"({"x":[{"a":[{"c":2,"d":1}],"b":1}]})"},
      {"arrays keep their order", "[3, 1, 2]", "[3,1,2]"},
      {"integers", "[0, -1, 9007199254740993, -9223372036854775808, 18446744073709551615]",
       "[0,-1,9007199254740993,-9223372036854775808,18446744073709551615]"},
      {"whole doubles are integers", "[1.0, 1e0, 10e-1, 100E-2, -0.0, 9007199254740992.0]",
       "[1,1,1,1,0,9007199254740992]"},
      {"other doubles are shortest", "[0.1, 1.50, 15e-1, 1e300, 3.141592653589793]",
       "[0.1,1.5,1.5,1e+300,3.141592653589793]"},
      {"escapes", R"(["\u0041\/\n\t\"\\\u0001"])", R"(["A/\n\t\"\\\u0001"])"},
      {"surrogate pair", R"(["\ud83d\ude00"])", "[\"😀\"]"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(canonical(c.input), c.want) << c.name;
}

TEST(CanonicalJson, equal_requests_have_one_fingerprint) {
  const struct {
    const char* name;
    const char* a;
    const char* b;
  } cases[] = {
      {"white space", R"({"a":1,"b":[1,2]})", " { \"a\" : 1 ,\n\t\"b\" : [ 1 , 2 ] } "},
      {"order of members", R"({"a":1,"b":2})", R"({"b":2,"a":1})"},
      {"forms of a number", R"({"n":1})", R"({"n":1.0})"},
      {"exponent", R"({"n":100})", R"({"n":1e2})"},
      {"minus zero", R"({"n":0})", R"({"n":-0.0})"},
      {"trailing zeros", R"({"n":0.25})", R"({"n":0.2500})"},
      {"escaped letters", R"({"s":"grün"})", R"({"s":"gr\u00fcn"})"},
      {"escaped slash", R"({"s":"a/b"})", R"({"s":"a\/b"})"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(fingerprint(boost::json::parse(c.a)), fingerprint(boost::json::parse(c.b))) << c.name;
}

TEST(CanonicalJson, different_requests_have_two) {
  const struct {
    const char* name;
    const char* a;
    const char* b;
  } cases[] = {
      {"a value", R"({"a":1})", R"({"a":2})"},
      {"a name", R"({"a":1})", R"({"b":1})"},
      {"a member more", R"({"a":1})", R"({"a":1,"b":null})"},
      {"null is not absent", R"({})", R"({"a":null})"},
      {"number and text", R"({"a":1})", R"({"a":"1"})"},
      {"true and text", R"({"a":true})", R"({"a":"true"})"},
      {"order in arrays", "[1,2]", "[2,1]"},
      {"nesting", "[[1],2]", "[1,[2]]"},
      {"object and array", "{}", "[]"},
      {"letter case", R"(["a"])", R"(["A"])"},
      {"blanks in text", R"(["a b"])", R"(["a  b"])"},
      {"composed and decomposed", "[\"\u00e9\"]", "[\"e\u0301\"]"},
      {"neighbours beyond 2^53", "[9007199254740992]", "[9007199254740993]"},
      {"neighbouring doubles", "[0.1]", "[0.10000000000000002]"},
      {"quotes cannot be smuggled", R"(["a\",\"b"])", R"(["a","b"])"},
      {"braces cannot be smuggled", R"({"a":"1,\"b\":2"})", R"({"a":"1","b":2})"},
  };
  for (const auto& c : cases)
    EXPECT_NE(fingerprint(boost::json::parse(c.a)), fingerprint(boost::json::parse(c.b))) << c.name;
}

TEST(Fingerprint, is_sha256_of_the_canonical_form) {
  EXPECT_EQ(fingerprint(boost::json::parse(R"({"b":1.0,"a":"x"})")), sha256(R"({"a":"x","b":1})"));
}

TEST(IdempotencyKey, is_8_to_128_printable_characters) {
  const struct {
    const char* name;
    std::string input;
    bool want;
  } cases[] = {
      {"empty", "", false},
      {"7", "1234567", false},
      {"8", "12345678", true},
      {"128", std::string(128, 'k'), true},
      {"129", std::string(129, 'k'), false},
      {"uuid", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", true},
      {"signs", "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~", true},
      {"blank inside", "order 12345", true},
      {"tab", "order\t12345", false},
      {"line feed", "order\n12345", false},
      {"NUL",
       std::string("order\0"
                   "12345",
                   11),
       false},
      {"DEL",
       "order\x7F"
       "12345",
       false},
      {"not ASCII", "bestellung-grün", false},
  };
  for (const auto& c : cases) {
    const auto got = check_idempotency_key(c.input);
    EXPECT_EQ(got.has_value(), c.want) << c.name;
    if (!got) {
      EXPECT_EQ(got.error().kind, ErrorKind::invalid) << c.name;
    }
  }
}

}  // namespace
}  // namespace eilbote::idempotency_test
