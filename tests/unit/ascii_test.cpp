// Control characters and printable ASCII, over every byte there is.
#include "base/ascii.h"

#include <gtest/gtest.h>

namespace eilbote::test::ascii_test {
namespace {

TEST(Ascii, every_byte_is_of_one_kind) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = "a" + std::string(1, static_cast<char>(byte)) + "z";
    const bool control = byte < 0x20 || byte == 0x7F;
    const bool ascii = byte < 0x80;
    EXPECT_EQ(is_control(text[1]), control) << byte;
    EXPECT_EQ(has_control(text), control) << byte;
    EXPECT_EQ(is_printable(text[1]), ascii && !control) << byte;
    EXPECT_EQ(is_printable_ascii(text), ascii && !control) << byte;
    EXPECT_EQ(is_ascii(text), ascii) << byte;
  }
}

TEST(Ascii, nothing_holds_nothing) {
  EXPECT_FALSE(has_control(""));
  EXPECT_TRUE(is_printable_ascii(""));
  EXPECT_TRUE(is_ascii(""));
}

}  // namespace
}  // namespace eilbote::test::ascii_test
