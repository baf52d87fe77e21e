// The small questions about the texts in a mail.
#include "domain/mail_syntax.h"

#include <gtest/gtest.h>

namespace eilbote::mail_syntax_test {
namespace {

using namespace std::string_literals;

struct Case {
  std::string input;
  bool want;
};

TEST(MailSyntax, content_types) {
  const Case cases[] = {
      {"application/pdf", true},
      {"text/plain; charset=utf-8", true},
      {"text/plain;charset=\"utf-8\" ; format=flowed", true},
      {"text/plain; name=\"a\\\"b;c\"", true},
      {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", true},
      {"image/svg+xml", true},
      {"", false},
      {"pdf", false},
      {"/pdf", false},
      {"application/", false},
      {"application/pdf/x", false},
      {"application /pdf", false},
      {" application/pdf", false},
      {"text/plain;", false},
      {"text/plain; charset", false},
      {"text/plain; charset=", false},
      {"text/plain; =utf-8", false},
      {"text/plain; charset=\"utf-8", false},
      {"text/plain; charset=\"utf-8\\\"", false},
      {"text/plain charset=utf-8", false},
      {"text/plain\r\nX-Evil: 1", false},
      {"text/plain; a=\"\r\n\"", false},
      {"text/pl\xC3\xA4in", false},
      {"multipart/mixed", false},
      {"MULTIPART/mixed; boundary=x", false},
      {"message/rfc822", false},
      {"Message/RFC822", false},
      {"text/" + std::string(250, 'x'), true},
      {"text/" + std::string(251, 'x'), false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(is_content_type(c.input), c.want) << c.input;
}

TEST(MailSyntax, content_ids) {
  const Case cases[] = {{"logo", true},      {"logo@example.org", true},
                        {"a.b-c_d+e", true}, {std::string(128, 'x'), true},
                        {"", false},         {std::string(129, 'x'), false},
                        {"@a", false},       {"a@", false},
                        {"a@b@c", false},    {"a b", false},
                        {"<a>", false},      {"a\r\nb", false},
                        {"a\0b"s, false},    {"\"a\"", false},
                        {"a;b", false},      {"gr\xC3\xBCn", false}};
  for (const Case& c : cases)
    EXPECT_EQ(is_content_id(c.input), c.want) << c.input;
}

TEST(MailSyntax, header_names) {
  const Case cases[] = {{"X-Foo", true},
                        {"x", true},
                        {"!#$%&'*+-.^_`|~", true},
                        {std::string(76, 'x'), true},
                        {"", false},
                        {"X Foo", false},
                        {"X:Foo", false},
                        {"X-Foo\r\n", false},
                        {"X\tY", false},
                        {"X\0Y"s, false},
                        {"X\x7F", false},
                        {"Gr\xC3\xBCn", false},
                        {"X-Foo ", false},
                        {std::string(77, 'x'), false}};
  for (const Case& c : cases)
    EXPECT_EQ(is_header_name(c.input), c.want) << c.input;
}

TEST(MailSyntax, verbatim_headers) {
  const Case cases[] = {
      {"List-Unsubscribe", true}, {"list-unsubscribe-post", true}, {"LIST-ID", true}, {"References", true},
      {"In-Reply-To", true},      {"Auto-Submitted", true},        {"X-List", false}, {"Comments", false},
      {"Listing", false}};
  for (const Case& c : cases)
    EXPECT_EQ(is_verbatim_header(c.input), c.want) << c.input;
}

TEST(MailSyntax, longest_stretch) {
  EXPECT_EQ(longest_stretch(""), 0U);
  EXPECT_EQ(longest_stretch("   "), 3U);
  EXPECT_EQ(longest_stretch("abc"), 3U);
  EXPECT_EQ(longest_stretch("a abcd ab"), 5U);
  EXPECT_EQ(longest_stretch("a ab abcde"), 6U);
  EXPECT_EQ(longest_stretch("abc    de f"), 6U);
}

}  // namespace
}  // namespace eilbote::mail_syntax_test
