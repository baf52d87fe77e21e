// Secrets that somebody repeats are taken out of his text.
#include "base/hide.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace eilbote::hide_test {
namespace {

TEST(Hide, every_place_and_nothing_else) {
  std::string text = "s3cret-s3cret: you said s3cret";
  hide(text, "s3cret");
  EXPECT_EQ(text, "***-***: you said ***");
  hide(text, "");
  EXPECT_EQ(text, "***-***: you said ***");
}

TEST(Hide, an_authorization_in_the_ways_it_comes_back) {
  const std::string basic = base64_encode("shop:pass/word?>");
  struct Case {
    std::string value, said, kept;
  };
  for (const Case& one : {
           Case{"Bearer abc/defgh", "you said abc/defgh", "you said ***"},
           Case{"Bearer abc/defgh", R"({"auth":"Bearer abc\/defgh"})", R"({"auth":"Bearer ***"})"},
           Case{"Bearer short", "a short answer", "a short answer"},
           Case{"a-bare-token", "a-bare-token it was", "*** it was"},
           Case{"Basic " + basic, "got " + basic, "got ***"},
           Case{"basic " + basic, "user shop, password pass/word?>", "user shop, password ***"},
           Case{"Basic " + basic, "login shop:pass/word?> refused", "login *** refused"},
           Case{"Basic " + basic, R"({"password":"pass\/word?>"})", R"({"password":"***"})"},
           Case{"Basic not-base64!", "not-base64!", "***"},
           Case{"Bearer abcdefg=+", R"({"auth":"abcdefg\u003d\u002B"})", R"({"auth":"***"})"},
           Case{"Basic " + base64_encode(R"(shop:pa"ss\word)"), R"({"password":"pa\"ss\\word"})",
                R"({"password":"***"})"},
           Case{"Basic " + base64_encode(R"(shop:pa"ss\word)"), R"(plainly pa"ss\word)", "plainly ***"},
           Case{"Bearer abc/defgh", R"(abc\/defg and abc\u002fdefgh)", R"(abc\/defg and ***)"},
           Case{"", "nothing to hide", "nothing to hide"},
       }) {
    std::string text = one.said;
    hide_authorization(text, one.value);
    EXPECT_EQ(text, one.kept) << one.value;
  }
}

}  // namespace
}  // namespace eilbote::hide_test
