// Replies out of bytes: in one piece, byte by byte, and everything that is none.
#include "domain/smtp_reply.h"

#include <gtest/gtest.h>

namespace eilbote::smtp_reply_test {
namespace {

using Step = SmtpReplyReader::Step;

std::optional<SmtpReply> read_all(std::string_view bytes) {
  SmtpReplyReader reader;
  const Step step = reader.read(bytes);
  if (step != Step::complete || !bytes.empty()) return std::nullopt;
  return reader.take();
}

TEST(SmtpReplyReader, ReadsOneLine) {
  const auto reply = read_all("250 2.1.0 Sender ok\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->code, 250);
  EXPECT_EQ(reply->enhanced, "2.1.0");
  EXPECT_EQ(reply->lines, std::vector<std::string>{"Sender ok"});
  EXPECT_EQ(reply->text(), "250 2.1.0 Sender ok");
}

TEST(SmtpReplyReader, ReadsTheExtensionsLineByLine) {
  const auto reply = read_all(
      "250-relay.example.org at your service\r\n250-SIZE 35882577\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->lines, (std::vector<std::string>{"relay.example.org at your service", "SIZE 35882577",
                                                    "8BITMIME", "SMTPUTF8"}));
  EXPECT_EQ(reply->enhanced, "");
}

TEST(SmtpReplyReader, SaysARepeatedEnhancedCodeOnce) {
  const auto reply = read_all("550-5.1.1 The account does not exist.\r\n550 5.1.1 Check the address.\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text(), "550 5.1.1 The account does not exist. Check the address.");
}

TEST(SmtpReplyReader, TakesAReplyWithoutTextAndABareLineFeed) {
  EXPECT_EQ(read_all("250\r\n")->code, 250);
  EXPECT_EQ(read_all("250 \r\n")->lines, std::vector<std::string>{""});
  EXPECT_EQ(read_all("354 go ahead\n")->lines, std::vector<std::string>{"go ahead"});
}

TEST(SmtpReplyReader, LetsNoControlCharacterThrough) {
  using namespace std::string_view_literals;
  const auto reply = read_all("550 5.1.1\tno\r\x1B[31msuch\0 user\x7F\r\n"sv);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text(), "550 5.1.1 no  [31msuch  user ");
}

TEST(SmtpReplyReader, TakesWhatComesByteByByteAndLeavesTheNextReplyAlone) {
  SmtpReplyReader reader;
  EXPECT_FALSE(reader.has_begun());
  const std::string bytes = "250-first\r\n250 last\r\n354 go\r\n";
  std::vector<int> codes;
  for (const char& byte : bytes) {
    std::string_view one(&byte, 1);
    const Step step = reader.read(one);
    ASSERT_NE(step, Step::broken);
    if (step == Step::complete) codes.push_back(reader.take().code);
  }
  EXPECT_EQ(codes, (std::vector{250, 354}));

  std::string_view both = "250 ok\r\n550 no\r\n";
  EXPECT_EQ(reader.read(both), Step::complete);
  EXPECT_EQ(both, "550 no\r\n") << "bytes after a reply are the next one's, or an attack";
}

TEST(SmtpReplyReader, RefusesWhatIsNoReply) {
  for (const std::string_view bytes :
       {"HTTP/1.1 400 Bad Request\r\n", "\r\n", "25\r\n", "2x0 hm\r\n", "250_ok\r\n", "250-a\r\n550 b\r\n",
        "-ERR\r\n", "\x16\x03\x01", "SSH-2.0-OpenSSH_9.2"}) {
    SmtpReplyReader reader;
    std::string_view rest = bytes;
    EXPECT_EQ(reader.read(rest), Step::broken) << bytes;
  }
}

TEST(SmtpReplyReader, HasLimits) {
  SmtpReplyReader long_line;
  const std::string endless = "250 " + std::string(SmtpReplyReader::kLineBytesMax, 'x');
  std::string_view rest = endless;
  EXPECT_EQ(long_line.read(rest), Step::broken);

  std::string many;
  for (std::size_t i = 0; i <= SmtpReplyReader::kLinesMax; ++i)
    many += "250-and more\r\n";
  SmtpReplyReader long_reply;
  rest = many;
  EXPECT_EQ(long_reply.read(rest), Step::broken);
}

TEST(SmtpReplyReader, TakesOnlyWellFormedEnhancedCodes) {
  for (const std::string text : {"4.7", "44.7.1", "4.7.1234", "4.7.1x", "a.b.c", "4..1"})
    EXPECT_EQ(read_all("450 " + text + " later\r\n")->enhanced, "") << text;
  EXPECT_EQ(read_all("450 4.7.1\r\n")->enhanced, "4.7.1");
  EXPECT_EQ(read_all("550 5.7.606 Access denied\r\n")->enhanced, "5.7.606");
}

}  // namespace
}  // namespace eilbote::smtp_reply_test
