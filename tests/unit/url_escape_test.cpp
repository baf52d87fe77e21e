// Percent-encoding there and back, and the hexadecimal digits it is made of.
#include "base/url_escape.h"

#include <gtest/gtest.h>

#include "base/hex.h"

namespace eilbote::test::url_escape_test {
namespace {

TEST(UrlEscape, keeps_what_is_unreserved_and_what_is_asked_for) {
  const struct {
    const char* text;
    const char* kept;
    const char* want;
  } cases[] = {
      {"", "", ""},
      {"aZ09-._~", "", "aZ09-._~"},
      {"a/b c\xC3\xA4", "", "a%2Fb%20c%C3%A4"},
      {"a/b?", "/", "a/b%3F"},
      {"a b/c%d+e", "", "a%20b%2Fc%25d%2Be"},
      {"a b/c%d", "/%", "a%20b/c%d"},
      {"\x01\xFF", "", "%01%FF"},
  };
  for (const auto& [text, kept, want] : cases)
    EXPECT_EQ(url_escaped(text, kept), want) << text;
}

TEST(UrlEscape, and_back) {
  const std::pair<const char*, std::optional<std::string>> cases[] = {
      {"", ""},
      {"plain+plus", "plain+plus"},
      {"ann%40example.org", "ann@example.org"},
      {"%c3%A4%25", "\xC3\xA4%"},
      {"%00", std::string(1, '\0')},
      {"%", std::nullopt},
      {"%4", std::nullopt},
      {"a%4", std::nullopt},
      {"%4g", std::nullopt},
      {"%g4", std::nullopt},
      {"%-1", std::nullopt},
      {"%+1", std::nullopt},
      {"% 1", std::nullopt},
      {"%%41", std::nullopt},
  };
  for (const auto& [text, want] : cases)
    EXPECT_EQ(url_unescaped(text), want) << text;
}

TEST(UrlEscape, every_byte_comes_back) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  EXPECT_EQ(url_unescaped(url_escaped(all)), all);
}

TEST(Hex, digits_of_both_cases) {
  for (int value = 0; value < 16; ++value) {
    EXPECT_EQ(hex_value(kLowerHex[static_cast<std::size_t>(value)]), value);
    EXPECT_EQ(hex_value(kUpperHex[static_cast<std::size_t>(value)]), value);
  }
  int digits = 0;
  for (int byte = 0; byte < 256; ++byte)
    digits += is_hex(static_cast<char>(byte)) ? 1 : 0;
  EXPECT_EQ(digits, 22);
}

TEST(Hex, of_bytes) {
  EXPECT_EQ(to_hex(std::string_view()), "");
  EXPECT_EQ(to_hex(std::string_view("\x00\x0A\xFF", 3)), "000aff");
  std::string escaped;
  append_hex_escape(escaped, '=', 0xC3);
  EXPECT_EQ(escaped, "=C3");
}

}  // namespace
}  // namespace eilbote::test::url_escape_test
