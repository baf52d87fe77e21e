// check_mail: the headers a client may set, from both sides of every rule.
#include "unit/mail_cases.h"

namespace eilbote::mail_headers_test {
namespace {

using namespace mail_cases;

TEST(CheckMail, headers) {
  const auto header = [](std::string name, std::string value) {
    return [name, value](Mail& m) { m.headers = {{name, value}}; };
  };
  std::vector<Case> cases{
      {"one", header("X-Foo", "bar")},
      {"empty value", header("X-Foo", "")},
      {"any ASCII sign in the name", header("X-!#$%&'*+.^_`|~0", "bar")},
      {"not ASCII value", header("X-Foo", "grün 😀")},
      {"value of 2,000", header("X-Foo", text(2000, "ü"))},
      {"value of 2,001", header("X-Foo", text(2001)), {"/headers/X-Foo"}},
      {"CRLF in the value", header("X-Foo", "a\r\nBcc: b@example.org"), {"/headers/X-Foo"}},
      {"folded value", header("X-Foo", "a\r\n b"), {"/headers/X-Foo"}},
      {"tab in the value", header("X-Foo", "a\tb"), {"/headers/X-Foo"}},
      {"NUL in the value", header("X-Foo", "a\0b"s), {"/headers/X-Foo"}},
      {"value not UTF-8", header("X-Foo", "\xFF"), {"/headers/X-Foo"}},
      {"empty name", header("", "x"), {"/headers/"}},
      {"blank in the name", header("X Foo", "x"), {"/headers/X Foo"}},
      {"colon in the name", header("X-Foo:", "x"), {"/headers/X-Foo:"}},
      {"line break in the name", header("X-Foo\r\nBcc", "x"), {"/headers/X-Foo\r\nBcc"}},
      {"not ASCII name", header("X-Grün", "x"), {"/headers/X-Grün"}},
      {"name of 76", header(text(76), "x")},
      {"name of 77", header(text(77), "x"), {"/headers/" + text(77)}},
      {"a very long name is not repeated", header(text(5000), "x"), {"/headers"}},
      {"pointer signs are escaped", header("X-a/b~c", "x\n"), {"/headers/X-a~1b~0c"}},
      {"List-Unsubscribe", header("List-Unsubscribe", "<https://example.org/u?a=1>, <mailto:u@example.org>")},
      {"List-Unsubscribe not ASCII",
       header("List-Unsubscribe", "<https://grün.de>"),
       {"/headers/List-Unsubscribe"}},
      {"References of 900", header("References", text(900))},
      {"References without a blank", header("References", text(901)), {"/headers/References"}},
      {"the same long text elsewhere", header("X-Long", text(2000))},
      {"twice, in other case",
       [](Mail& m) {
         m.headers = {{"X-Foo", "a"}, {"x-foo", "b"}};
       },
       {"/headers/x-foo"}},
      {"100",
       [](Mail& m) {
         for (int i = 0; i < 100; ++i)
           m.headers.emplace_back(fmt::format("X-{}", i), "v");
       }},
      {"101",
       [](Mail& m) {
         for (int i = 0; i < 101; ++i)
           m.headers.emplace_back(fmt::format("X-{}", i), "v");
       },
       {"/headers"}},
  };
  const std::vector<std::string> owned{"From",
                                       "To",
                                       "Cc",
                                       "Bcc",
                                       "Subject",
                                       "Date",
                                       "Message-ID",
                                       "Reply-To",
                                       "Mime-Version",
                                       "Content-Type",
                                       "Content-Foo",
                                       "Sender",
                                       "Return-Path",
                                       "Received",
                                       "DKIM-Signature",
                                       "bcc",
                                       "CONTENT-TRANSFER-ENCODING",
                                       "Resent-From",
                                       "Resent-To"};
  for (const std::string& name : owned)
    cases.push_back({name.c_str(), header(name, "x"), {"/headers/" + name}});
  run(cases);
}

}  // namespace
}  // namespace eilbote::mail_headers_test
