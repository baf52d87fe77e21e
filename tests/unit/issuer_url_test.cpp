// The address of an issuer: https, or this machine; and where its discovery document is.
#include "domain/issuer_url.h"

#include <gtest/gtest.h>

namespace eilbote::issuer_url_test {
namespace {

TEST(IssuerUrl, only_this_machine_may_do_without_tls) {
  const std::pair<const char*, bool> cases[] = {
      {"https://login.example/realms/mail", true},
      {"http://localhost:8080/realms/mail", true},
      {"http://127.0.0.1:8080", true},
      {"http://127.8.9.10", true},
      {"http://[::1]:8080", true},
      {"http://login.example", false},
      {"http://127.0.0.1.login.example", false},
      {"http://localhost.example", false},
      {"http://10.0.0.1", false},
      {"ftp://localhost", false},
      {"login.example", false},
      {"", false},
  };
  for (const auto& [text, good] : cases)
    EXPECT_EQ(parse_issuer_url(text).has_value(), good) << text;
}

TEST(IssuerUrl, discovery_is_below_it_with_or_without_a_slash_at_its_end) {
  const std::string want = "https://login.example/realms/mail/.well-known/openid-configuration";
  for (const char* issuer : {"https://login.example/realms/mail", "https://login.example/realms/mail/",
                             "https://login.example/realms/mail//"})
    EXPECT_EQ(discovery_url(issuer), want) << issuer;
}

}  // namespace
}  // namespace eilbote::issuer_url_test
