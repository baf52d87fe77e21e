#include "domain/smtp_body.h"

#include <gtest/gtest.h>

namespace eilbote::smtp_body_test {
namespace {

TEST(SmtpBody, DoublesDotsAtTheStartOfALineOnly) {
  EXPECT_EQ(smtp_body("a.b\r\n.c\r\n..\r\n"), "a.b\r\n..c\r\n...\r\n.\r\n");
  EXPECT_EQ(smtp_body(".first\r\n"), "..first\r\n.\r\n");
}

TEST(SmtpBody, EndsWithExactlyOneLineEndBeforeTheDot) {
  EXPECT_EQ(smtp_body("no end"), "no end\r\n.\r\n");
  EXPECT_EQ(smtp_body("an end\r\n"), "an end\r\n.\r\n");
  EXPECT_EQ(smtp_body("an empty line\r\n\r\n"), "an empty line\r\n\r\n.\r\n");
}

// "\n.\r\n" and its relatives end a message for some servers and not for others: smuggling.
TEST(SmtpBody, LeavesNoBareLineEnd) {
  EXPECT_EQ(smtp_body("a\n.\r\nMAIL"), "a\r\n..\r\nMAIL\r\n.\r\n");
  EXPECT_EQ(smtp_body("a\r.\r"), "a\r\n..\r\n.\r\n");
  EXPECT_EQ(smtp_body("a\r\r\n.\n\r"), "a\r\n\r\n..\r\n\r\n.\r\n");
}

TEST(SmtpBody, TakesLinesThatEndInEveryWay) {
  EXPECT_EQ(smtp_body("a\r.b\r\n\r.c\n\n.d"), "a\r\n..b\r\n\r\n..c\r\n\r\n..d\r\n.\r\n");
  std::string returns(1'000'000, '\r');  // must not take a second look at the rest for each
  EXPECT_EQ(smtp_body(returns).size(), 2 * returns.size() + 3);
}

TEST(SmtpBody, OfNothingIsALoneDot) {
  EXPECT_EQ(smtp_body(""), ".\r\n");
}

}  // namespace
}  // namespace eilbote::smtp_body_test
