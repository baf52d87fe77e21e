// The proof by certificate: signed so that whoever knows the certificate can check it, and what is wrong with a PEM is said.
#include "channel/graph_assertion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <memory>

#include "base/base64url.h"
#include "base/clock.h"
#include "domain/json_members.h"
#include "support/client_certificate.h"

namespace eilbote::test::graph_assertion_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const AssertionClaims kClaims{"client-1", "https://login.example.org/token", "id-1"};

bool verifies(const PrivateKey& key, const std::string& text, const std::string& signature) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* how = nullptr;
  EVP_DigestVerifyInit(context.get(), &how, EVP_sha256(), nullptr, key.get());
  EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING);
  EVP_PKEY_CTX_set_rsa_pss_saltlen(how, 32);
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

TEST(GraphAssertion, is_a_token_signed_with_the_certificates_key) {
  const PrivateKey key = rsa_key();
  const auto certificate = certificate_of(key);
  const FakeClock clock;
  // In any order; what else is in the file does not matter.
  for (const std::string& pem : {key_pem(key) + certificate_pem(certificate),
                                 "for Eilbote\n" + certificate_pem(certificate) + key_pem(key)}) {
    const auto made = make_client_assertion(Secret(pem), kClaims, clock.now());
    ASSERT_TRUE(made) << made.error().message;
    const std::string& token = made->reveal();
    const auto first = token.find('.'), second = token.rfind('.');
    ASSERT_NE(first, second);
    const auto header = parse_json(*decode_base64url(token.substr(0, first)));
    const auto claims = parse_json(*decode_base64url(token.substr(first + 1, second - first - 1)));
    EXPECT_EQ(eilbote::text_at(header, {"alg"}), "PS256");
    EXPECT_EQ(eilbote::text_at(header, {"typ"}), "JWT");
    std::string digest(32, '\0');
    X509_digest(certificate.get(), EVP_sha256(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
    EXPECT_EQ(decode_base64url(eilbote::text_at(header, {"x5t#S256"})), digest);
    EXPECT_EQ(eilbote::text_at(claims, {"aud"}), kClaims.audience);
    EXPECT_EQ(eilbote::text_at(claims, {"iss"}), "client-1");
    EXPECT_EQ(eilbote::text_at(claims, {"sub"}), "client-1");
    EXPECT_EQ(eilbote::text_at(claims, {"jti"}), "id-1");
    const auto now = std::chrono::floor<std::chrono::seconds>(clock.now()).time_since_epoch().count();
    EXPECT_EQ(number_at(claims, {"nbf"}), now);
    EXPECT_EQ(number_at(claims, {"exp"}), now + 600);
    EXPECT_TRUE(verifies(key, token.substr(0, second), *decode_base64url(token.substr(second + 1))));
    EXPECT_FALSE(verifies(key, token.substr(0, second) + "x", *decode_base64url(token.substr(second + 1))));
  }
}

TEST(GraphAssertion, says_what_is_wrong_with_a_pem) {
  const PrivateKey key = rsa_key(), other = rsa_key(), small = rsa_key(1024), curve = ec_key();
  const std::string locked = key_pem(key, "pass");
  struct Case {
    std::string pem;
    const char* says;
  };
  const Case cases[] = {
      {"", "no private key"},
      {"hunter2", "no private key"},
      {certificate_pem(certificate_of(key)), "no private key"},
      {locked + certificate_pem(certificate_of(key)), "without a passphrase"},
      {key_pem(key), "no certificate"},
      {key_pem(key) + certificate_pem(certificate_of(other)), "do not belong together"},
      {key_pem(small) + certificate_pem(certificate_of(small)), "at least 2048 bits"},
      {key_pem(curve) + certificate_pem(certificate_of(curve)), "must be RSA"},
  };
  const FakeClock clock;
  for (const Case& c : cases) {
    const auto made = make_client_assertion(Secret(c.pem), kClaims, clock.now());
    ASSERT_FALSE(made) << c.says;
    EXPECT_THAT(made.error().message, HasSubstr(c.says));
    EXPECT_THAT(made.error().message, Not(HasSubstr("hunter2")));
  }
  const auto late = make_client_assertion(Secret(key_pem(key) + certificate_pem(certificate_of(key))),
                                          kClaims, clock.now() + std::chrono::days{2});
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, HasSubstr("has expired"));
}

}  // namespace
}  // namespace eilbote::test::graph_assertion_test
