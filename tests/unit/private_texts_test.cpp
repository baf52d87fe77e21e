// The searcher of the scenarios finds what it should: else nothing would ever be found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "support/private_texts.h"

namespace eilbote::test::private_texts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> kinds(const std::vector<PrivateTexts::Finding>& findings) {
  std::vector<std::string> all;
  for (const auto& one : findings)
    all.push_back(one.kind);
  return all;
}

TEST(PrivateTexts, of_a_request_are_found_by_kind_and_line) {
  PrivateTexts texts;
  texts.note_request(
      R"([{"to":[{"email":"ann@example.org"}],"subject":"A secret plan","body":{"text":"Come at \"noon\""},
           "idempotencyKey":"key-of-the-mail","attachments":[{"contentType":"text/plain"}]}])");
  const auto found = texts.search("first\nto ann@example.org: key-of-the-mail text/plain\nA secret plan");
  ASSERT_THAT(kinds(found), ElementsAre("address or name", "subject"));
  EXPECT_EQ(found[0].line, "to ann@example.org: key-of-the-mail text/plain");
  EXPECT_EQ(found[1].line, "A secret plan");
  EXPECT_THAT(kinds(texts.search(R"({"error":"Come at \"noon\""})")), ElementsAre("body"));
  EXPECT_THAT(kinds(texts.search("ann@example.com, A secret")), IsEmpty());
  EXPECT_THAT(kinds(texts.search_secrets("ann@example.org")), IsEmpty());
  texts.note_request(R"({"cc":["Robert the Builder <robert.the.builder@mail.example.org>"]})");
  EXPECT_THAT(kinds(texts.search("Robert the Builder, robert.the.builder@mail.example.org")),
              ElementsAre("address or name", "address or name"));
  EXPECT_THAT(kinds(texts.search("the domain mail.example.org")), IsEmpty());
}

TEST(PrivateTexts, that_are_long_are_found_by_their_beginning) {
  PrivateTexts texts;
  texts.note("body", "Dear customer, your order of yesterday is on its way");
  EXPECT_THAT(kinds(texts.search("relay said: Dear customer, your or..")), ElementsAre("body"));
}

TEST(PrivateTexts, that_are_short_or_say_nothing_are_left_out) {
  PrivateTexts texts;
  texts.note("subject", "Hello");
  texts.note("body", std::string(40, 'w'));
  EXPECT_THAT(kinds(texts.search("Hello " + std::string(40, 'w'))), IsEmpty());
}

TEST(PrivateTexts, of_urls_are_what_follows_the_host) {
  PrivateTexts texts;
  texts.note_request(R"({"targetUrl":"https://hooks.example.org/in?token=abc"})");
  EXPECT_THAT(kinds(texts.search("hooks.example.org")), IsEmpty());
  EXPECT_THAT(kinds(texts.search("GET /in?token=abc")), ElementsAre("path or query of a URL"));
}

TEST(PrivateTexts, that_are_secrets_are_found_in_base64_too) {
  PrivateTexts texts;
  texts.note_environment({{"RELAY_PASSWORD", "open sesame"},
                          {"EILBOTE_SMTP_URL", "smtp://shop@localhost"},
                          {"EILBOTE_STORE_URL", "postgresql://me:let-me-in@db/outbox"}});
  using std::string_literals::operator""s;
  for (const std::string& user : {"a"s, "ab"s, "abc"s})
    EXPECT_FALSE(texts.search_secrets(base64_encode("\0"s + user + "\0open sesame"s)).empty()) << user;
  EXPECT_THAT(kinds(texts.search("let-me-in")), ElementsAre("secret"));
  EXPECT_THAT(kinds(texts.search("smtp://shop@localhost")), IsEmpty());
}

TEST(PrivateTexts, that_an_answer_shows_are_secrets_from_then_on) {
  PrivateTexts texts;
  const std::string answer = R"({"webhook":{"authToken":"fc_0123456789","signingSecret":null}})";
  EXPECT_THAT(texts.search_secrets(answer), IsEmpty());
  texts.note_shown_secrets(answer);
  EXPECT_THAT(kinds(texts.search_secrets(answer)), ElementsAre("secret"));
}

}  // namespace
}  // namespace eilbote::test::private_texts_test
