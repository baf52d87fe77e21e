// Base64, its URL form as tokens have it, and the bytes nobody can guess.
#include "base/base64.h"

#include <gtest/gtest.h>

#include <set>

#include "base/base64url.h"
#include "base/secure_random.h"
#include "base/uuid.h"

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

TEST(Base64Test, the_url_form_has_other_letters_and_no_padding) {
  EXPECT_EQ(encode_base64url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(encode_base64url("f"), "Zg");
  EXPECT_EQ(encode_base64url(""), "");
  for (const auto& [bytes, text] : kPairs)
    EXPECT_EQ(decode_base64url(encode_base64url(bytes)), std::string(bytes)) << text;
}

TEST(UuidTest, is_of_version_four_and_never_the_same) {
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    const std::string one = random_uuid();
    ASSERT_EQ(one.size(), 36U);
    for (const std::size_t at : {8U, 13U, 18U, 23U})
      EXPECT_EQ(one[at], '-') << one;
    EXPECT_EQ(one[14], '4') << one;
    EXPECT_NE(std::string("89ab").find(one[19]), std::string::npos) << one;
    EXPECT_TRUE(seen.insert(one).second);
  }
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
