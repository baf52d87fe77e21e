// UTF-8 checks and repairs, and JSON strings made of them.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include "base/json_escape.h"

namespace eilbote::utf8_test {
namespace {

using namespace std::string_literals;

TEST(Utf8, knows_well_formed_from_malformed) {
  const struct {
    const char* name;
    std::string input;
    bool want;
  } cases[] = {
      {"empty", "", true},
      {"ascii", "plain", true},
      {"long ascii", std::string(1000, 'a'), true},
      {"NUL is a character", "a\0b"s, true},
      {"two bytes", "grün", true},
      {"three bytes", "€", true},
      {"four bytes", "😀", true},
      {"highest", "\xF4\x8F\xBF\xBF", true},
      {"below the surrogates", "\xED\x9F\xBF", true},
      {"above the surrogates", "\xEE\x80\x80", true},
      {"bad byte after long ascii", std::string(64, 'a') + "\xFF", false},
      {"bad byte inside eight",
       "abc\x80"
       "defgh",
       false},
      {"lone continuation", "\x80", false},
      {"overlong slash, two", "\xC0\xAF", false},
      {"overlong, C1", "\xC1\xBF", false},
      {"overlong slash, three", "\xE0\x80\xAF", false},
      {"overlong slash, four", "\xF0\x80\x80\xAF", false},
      {"overlong, F0 8F", "\xF0\x8F\xBF\xBF", false},
      {"low surrogate", "\xED\xA0\x80", false},
      {"high surrogate", "\xED\xBF\xBF", false},
      {"above U+10FFFF", "\xF4\x90\x80\x80", false},
      {"F5", "\xF5\x80\x80\x80", false},
      {"FE", "\xFE", false},
      {"cut two", "\xC3", false},
      {"cut three", "\xE2\x82", false},
      {"cut four", "\xF0\x9F\x98", false},
      {"wrong continuation", "\xE2\x28\xA1", false},
      {"latin-1", "gr\xFCn", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_utf8(c.input), c.want) << c.name;
}

TEST(Utf8, repairs_byte_by_byte) {
  const struct {
    const char* name;
    std::string input, want;
  } cases[] = {
      {"good stays", "grün €😀", "grün €😀"},
      {"latin-1", "gr\xFCn", "gr\uFFFDn"},
      {"cut at the end", "a\xE2\x82", "a\uFFFD\uFFFD"},
      {"surrogate", "\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"only rubbish", "\xFF\xFE", "\uFFFD\uFFFD"},
      {"empty", "", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(repair_utf8(c.input), c.want) << c.name;
    EXPECT_TRUE(is_utf8(repair_utf8(c.input))) << c.name;
  }
}

TEST(Utf8, peer_text_is_made_fit_to_store) {
  const struct {
    const char* name;
    std::string input;
    std::size_t max;
    std::string want;
  } cases[] = {
      {"plain", "550 no such user", 100, "550 no such user"},
      {"line breaks and NUL become blanks", "a\r\nb\0c\td\x7F"s, 100, "a  b c d "},
      {"cut by characters, not bytes", "äöüß", 3, "äöü"},
      {"never inside a code point", "😀😀😀", 2, "😀😀"},
      {"repaired before it is cut", "\xFF\xFF\xFF", 2, "\uFFFD\uFFFD"},
      {"to nothing", "abc", 0, ""},
  };
  for (const auto& c : cases)
    EXPECT_EQ(clean_peer_text(c.input, c.max), c.want) << c.name;
}

TEST(Utf8, counts_and_cuts_characters) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("abc"), 3U);
  EXPECT_EQ(utf8_length("grün€😀"), 6U);
  EXPECT_EQ(utf8_prefix("grün", 10), "grün");
  EXPECT_EQ(utf8_prefix("grün", 3), "grü");
  EXPECT_EQ(utf8_prefix("grün", 0), "");
  EXPECT_EQ(utf8_prefix("😀a", 1), "😀");
}

TEST(JsonEscape, writes_a_json_string) {
  const struct {
    const char* name;
    std::string input, want;
  } cases[] = {
      {"plain", "abc", R"("abc")"},
      {"empty", "", R"("")"},
      {"quotes and backslash", R"(a"b\c)", R"("a\"b\\c")"},
      {"line ends and tab", "a\nb\rc\td", R"("a\nb\rc\td")"},
      {"other controls", "\x01\x1F\0"s, R"("\u0001\u001f\u0000")"},
      {"utf-8 stays", "grün 😀", "\"grün 😀\""},
      {"broken utf-8 is repaired", "a\xFF", "\"a\uFFFD\""},
  };
  for (const auto& c : cases) {
    std::string out = "x";
    append_json_string(out, c.input);
    EXPECT_EQ(out, "x" + c.want) << c.name;
  }
}

}  // namespace
}  // namespace eilbote::utf8_test
