// How a relay is named.
#include "domain/smtp_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eilbote::smtp_target_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SmtpTarget, IsReadFromAUrl) {
  const struct {
    const char* url;
    SmtpTarget means;
  } cases[] = {
      {"smtp://relay.example.org", {"relay.example.org", 587, SmtpTls::required, SmtpAuth::password, ""}},
      {"smtps://relay.example.org/", {"relay.example.org", 465, SmtpTls::implicit, SmtpAuth::password, ""}},
      {"smtp://127.0.0.1:25?tls=off", {"127.0.0.1", 25, SmtpTls::off, SmtpAuth::password, ""}},
      {"smtp://[::1]:2525?tls=opportunistic", {"::1", 2525, SmtpTls::opportunistic, SmtpAuth::password, ""}},
      {"smtp://relay?tls=implicit", {"relay", 465, SmtpTls::implicit, SmtpAuth::password, ""}},
      {"smtp://me@relay:26", {"relay", 26, SmtpTls::required, SmtpAuth::password, "me"}},
      {"smtp://ann@example.org@relay?auth=xoauth2&tls=required",
       {"relay", 587, SmtpTls::required, SmtpAuth::xoauth2, "ann@example.org"}},
      {"smtp://ann%40example.org@relay",
       {"relay", 587, SmtpTls::required, SmtpAuth::password, "ann@example.org"}},
  };
  for (const auto& c : cases) {
    const auto target = parse_smtp_target(c.url);
    ASSERT_TRUE(target) << c.url << ": " << target.error().message;
    EXPECT_EQ(*target, c.means) << c.url;
  }
}

TEST(SmtpTarget, IsRefusedWithWhatWouldBeRight) {
  const struct {
    const char *url, *says;
  } cases[] = {
      {"", "smtp://user@host:port"},
      {"http://relay", "smtp://user@host:port"},
      {"smtp://", "must name a host"},
      {"smtp://re lay", "must name a host"},
      {"smtp://relay:0", "1 to 65535"},
      {"smtp://relay:65536", "1 to 65535"},
      {"smtp://relay:25x", "1 to 65535"},
      {"smtp://::1", "in brackets"},
      {"smtp://me:hunter2@relay", "_PASSWORD_REF"},
      {"smtp://m%0Ae@relay", "cannot be read"},
      {"smtp://m%4@relay", "cannot be read"},
      {"smtp://@relay", "cannot be read"},
      {"smtp://relay?tls=maybe", "off, opportunistic, required, implicit"},
      {"smtp://relay?auth=ntlm", "password, xoauth2"},
      {"smtp://relay?timeout=3", "nothing else"},
      {"smtps://relay?tls=off", "write smtp://"},
  };
  for (const auto& c : cases) {
    const auto target = parse_smtp_target(c.url);
    ASSERT_FALSE(target) << c.url;
    EXPECT_THAT(target.error().message, HasSubstr(c.says)) << c.url;
    EXPECT_THAT(target.error().message, Not(HasSubstr("hunter2")));
  }
}

}  // namespace
}  // namespace eilbote::smtp_target_test
