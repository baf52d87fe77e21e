// What providers sign with: which signatures are taken, a secret that was changed meanwhile, and that made-up signatures do
// not become a flood at the secret store.
#include "engine/provider_key.h"

#include <gtest/gtest.h>

#include "base/hex.h"
#include "base/hmac.h"

namespace eilbote::test::provider_key_test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kBody = R"({"eventType":"bounced"})";

std::string signed_with(const std::string& secret, const std::string& body = kBody) {
  return to_hex(hmac_sha256(secret, body));
}

// As a store on the network with a cache before it: `resolve` knows what was read, `renew` reads.
class TwoSecrets final : public SecretSource {
 public:
  Result<Secret> known = Secret("old"), stored = Secret("old");
  int renewed = 0;
  Result<Secret> resolve(std::string_view) override { return known; }
  void renew(std::string_view, Done done) override {
    ++renewed;
    known = stored;
    done(known);
  }
};

class ProviderKeyTest : public testing::Test {
 protected:
  SignatureCheck check(const std::string& signature, const std::string& body = kBody) {
    std::optional<SignatureCheck> said;
    key_.check(body, signature, [&](SignatureCheck answer) { said = answer; });
    EXPECT_TRUE(said.has_value());
    return said.value_or(SignatureCheck::wrong);
  }
  TwoSecrets secrets_;
  FakeClock clock_;
  ProviderKey key_{secrets_, "vault://provider#key", clock_};
};

TEST_F(ProviderKeyTest, takes_the_hmac_of_the_body) {
  const std::string good = signed_with("old");
  std::string loud = good;
  for (char& c : loud)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  struct Case {
    const char* name;
    std::string signature;
    std::string body;
    SignatureCheck want;
  };
  const Case cases[] = {
      {"bare", good, kBody, SignatureCheck::good},
      {"with its algorithm", "sha256=" + good, kBody, SignatureCheck::good},
      {"upper case", loud, kBody, SignatureCheck::good},
      {"none", "", kBody, SignatureCheck::wrong},
      {"only the algorithm", "sha256=", kBody, SignatureCheck::wrong},
      {"another algorithm", "sha1=" + good, kBody, SignatureCheck::wrong},
      {"too short", good.substr(2), kBody, SignatureCheck::wrong},
      {"too long", good + "00", kBody, SignatureCheck::wrong},
      {"no hex", good.substr(1) + "g", kBody, SignatureCheck::wrong},
      {"of another key", signed_with("other"), kBody, SignatureCheck::wrong},
      {"of another body", good, std::string(kBody) + " ", SignatureCheck::wrong},
      {"of an empty body", signed_with("old", ""), "", SignatureCheck::good},
  };
  for (const Case& one : cases)
    EXPECT_EQ(check(one.signature, one.body), one.want) << one.name;
}

TEST_F(ProviderKeyTest, knows_a_new_secret_at_the_first_use) {
  secrets_.stored = Secret("new");
  EXPECT_EQ(check(signed_with("new")), SignatureCheck::good);
  EXPECT_EQ(secrets_.renewed, 1);
  EXPECT_EQ(check(signed_with("new")), SignatureCheck::good);
  EXPECT_EQ(secrets_.renewed, 1);
}

TEST_F(ProviderKeyTest, asks_the_store_once_in_ten_seconds_at_most) {
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(check(signed_with("guess " + std::to_string(i))), SignatureCheck::wrong);
  EXPECT_EQ(secrets_.renewed, 1);
  clock_.advance(10s);
  EXPECT_EQ(check(signed_with("guess")), SignatureCheck::wrong);
  EXPECT_EQ(secrets_.renewed, 2);
}

TEST_F(ProviderKeyTest, takes_nothing_without_a_secret) {
  ProviderKey none(secrets_, "", clock_);
  SignatureCheck said = SignatureCheck::good;
  none.check(kBody, signed_with(""), [&](SignatureCheck answer) { said = answer; });
  EXPECT_EQ(said, SignatureCheck::not_configured);
  secrets_.known = Secret("");
  EXPECT_EQ(check(signed_with("")), SignatureCheck::unavailable) << "everybody could sign with an empty one";
  secrets_.known = fail(ErrorKind::unavailable, "vault://provider#key: away");
  EXPECT_EQ(check(signed_with("old")), SignatureCheck::unavailable);
}

}  // namespace
}  // namespace eilbote::test::provider_key_test
