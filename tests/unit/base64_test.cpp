// Base64 and the bytes nobody can guess.
#include "base/base64.h"

#include <gtest/gtest.h>

#include <set>

#include "base/secure_random.h"

namespace eilbote::base64_test {
namespace {

struct Pair {
  std::string_view bytes, text;
};
// RFC 4648 §10, and the two letters that tell this alphabet from the URL one.
constexpr Pair kPairs[] = {{"", ""},
                           {"f", "Zg=="},
                           {"fo", "Zm8="},
                           {"foo", "Zm9v"},
                           {"foob", "Zm9vYg=="},
                           {"fooba", "Zm9vYmE="},
                           {"foobar", "Zm9vYmFy"},
                           {"\xfb\xff\xfe", "+//+"}};

TEST(Base64Test, encodes_and_decodes_by_the_standard) {
  for (const auto& [bytes, text] : kPairs) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), std::string(bytes));
  }
}

TEST(Base64Test, refuses_everything_that_is_not_exactly_base64) {
  for (const std::string_view text : {"Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zm9v=", "Zh==", "Zm9=",
                                      "Zm9v\n", "Zm 9", "-__-", "Zg==Zg==", "Z\xc3\xa4==", "=Zm9"})
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
}

TEST(SecureRandomTest, is_as_long_as_asked_and_never_the_same) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string bytes = secure_bytes(32);
    EXPECT_EQ(bytes.size(), 32U);
    EXPECT_TRUE(seen.insert(bytes).second);
  }
  EXPECT_EQ(secure_bytes(0), "");
}

TEST(SecureRandomTest, uses_the_whole_alphabet_and_nothing_else) {
  const std::string text = secure_text(10'000, "abc");
  EXPECT_EQ(text.size(), 10'000U);
  for (const char c : {'a', 'b', 'c'}) {
    const auto n = std::count(text.begin(), text.end(), c);
    EXPECT_GT(n, 3'000);
    EXPECT_LT(n, 3'700);
  }
}

}  // namespace
}  // namespace eilbote::base64_test
