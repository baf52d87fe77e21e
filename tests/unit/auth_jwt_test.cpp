// Tokens, good and forged, against the pure check: what is taken, and why everything else is not.
#include "auth/jwt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>

#include "auth/jwks.h"
#include "support/forged_tokens.h"

namespace eilbote::test::auth_jwt_test {
namespace {

const std::string kIssuer = "https://idp.example.org/realms/shop";
const std::string kAudience = "eilbote";
constexpr std::int64_t kNow = 1'800'000'000;
const TimePoint kAt{std::chrono::seconds{kNow}};

KeySet must_read(const std::string& text) {
  auto read = read_jwks(text);
  if (!read) throw std::runtime_error(read.error().message);
  return std::move(*read);
}

struct Issuer : IssuerKeys {
  KeySet keys = must_read(jwks_of(jwks()));
};
const Issuer& issuer() {
  static const Issuer made;
  return made;
}

std::string claims(const std::vector<Claim>& changes = {}) {
  return claims_json(kIssuer, kAudience, kNow, changes);
}

// As the authenticator goes through it.
tl::expected<CheckedToken, TokenRefusal> check(const std::string& token, const KeySet& keys = issuer().keys) {
  const auto read = read_token(token);
  if (!read) return tl::unexpected(read.error());
  const VerifyKey* key = keys.find(read->kid, read->algorithm);
  if (key == nullptr) return tl::unexpected(TokenRefusal{TokenFault::unknown_key, ""});
  if (!key->made(read->signature, read->signed_part))
    return tl::unexpected(TokenRefusal{TokenFault::signature, ""});
  return check_claims(read->claims, {kIssuer, kAudience}, kAt);
}

// "taken", or the fault's name.
std::string verdict(const std::string& token) {
  const auto result = check(token);
  return result ? "taken" : std::string(kTokenFaultNames.text(result.error().fault));
}

TEST(Token, of_each_algorithm_is_taken) {
  for (const SigningKey* key : {&issuer().rsa, &issuer().ec, &issuer().ed}) {
    const auto checked = check(key->token(claims()));
    ASSERT_TRUE(checked) << key->algorithm() << ": " << checked.error().detail;
    EXPECT_EQ(checked->identity.client.value(), "shop");
    EXPECT_EQ(checked->identity.subject, "f3a1");
    EXPECT_EQ(checked->identity.scopes, (ScopeSet{Scope::mail_send, Scope::mail_status_read}));
    EXPECT_EQ(checked->expires_at, kAt + std::chrono::seconds{300});
  }
}

struct Good {
  const char* what;
  std::vector<Claim> changes;
};

TEST(Token, in_the_forms_issuers_give_it_is_taken) {
  const std::string past = std::to_string(kNow - 59), future = std::to_string(kNow + 60);
  const Good cases[] = {
      {"audience in a list", {{"aud", R"(["account","eilbote"])"}}},
      {"expired within the skew", {{"exp", past}}},
      {"from the near future", {{"iat", future}, {"nbf", future}}},
      {"fractions of seconds", {{"exp", std::to_string(kNow + 10) + ".5"}}},
      {"no iat", {{"iat", ""}}},
      {"no sub", {{"sub", ""}}},
      {"Keycloak's typ", {{"typ", "\"Bearer\""}}},
      {"claims nobody knows", {{"realm_access", R"({"roles":["a"]})"}}},
  };
  for (const Good& good : cases)
    EXPECT_EQ(verdict(issuer().ec.token(claims(good.changes))), "taken") << good.what;
  for (const char* header :
       {R"({"alg":"ES256","kid":"e1"})", R"({"alg":"ES256"})", R"({"alg":"ES256","kid":"e1","typ":"at+jwt"})",
        R"({"alg":"ES256","kid":"e1","typ":"application/at+jwt"})",
        R"({"alg":"ES256","kid":"e1","typ":"jwt"})", R"({"alg":"ES256","kid":"e1","x5t":"abc"})"})
    EXPECT_EQ(verdict(issuer().ec.token(header, claims())), "taken") << header;
}

std::string with_claim(const std::string& name, const std::string& value) {
  return issuer().ec.token(claims({{name, value}}));
}

TEST(Token, that_is_forged_or_wrong_is_refused_for_the_right_reason) {
  const std::vector<Forged> all = forged_tokens(issuer(), {kIssuer, kAudience, kNow});
  EXPECT_GE(all.size(), 40U);
  for (const Forged& forged : all)
    EXPECT_EQ(verdict(forged.token), forged.fault) << forged.what;
}

TEST(Token, whose_subject_is_no_name_is_refused) {
  for (const std::string& sub : {std::string("7"), std::string("\"\""), std::string(R"("a\nb")"),
                                 "\"" + std::string(255 + 1, 's') + "\""})
    EXPECT_EQ(verdict(with_claim("sub", sub)), "claims") << sub;
  EXPECT_EQ(verdict(with_claim("sub", "\"" + std::string(255, 's') + "\"")), "taken");
}

TEST(Token, with_a_time_that_is_none_is_refused) {
  for (const char* time : {"18446744073709551615", "-18446744073709551615", "1e300", "\"soon\"", "null"})
    for (const char* claim : {"exp", "nbf", "iat"})
      EXPECT_EQ(verdict(with_claim(claim, time)), "claims") << claim << " " << time;
}

TEST(Token, times_are_exact_to_the_second) {
  const auto at = [](const char* claim, std::int64_t seconds) {
    return verdict(with_claim(claim, std::to_string(kNow + seconds)));
  };
  EXPECT_EQ(at("exp", -59), "taken");
  EXPECT_EQ(at("exp", -60), "expired");
  for (const char* claim : {"nbf", "iat"}) {
    EXPECT_EQ(at(claim, 60), "taken") << claim;
    EXPECT_EQ(at(claim, 61), "not_yet") << claim;
  }
}

TEST(Token, of_8_KiB_is_taken_and_one_byte_more_is_not) {
  const auto of_size = [](std::size_t bytes) {
    for (std::size_t pad = 5'000; pad < bytes; ++pad) {
      std::string token = with_claim("pad", "\"" + std::string(pad, 'p') + "\"");
      if (token.size() >= bytes) return token;
    }
    return std::string();
  };
  const std::string largest = of_size(kTokenBytesMax - 1);
  ASSERT_LE(largest.size(), kTokenBytesMax);
  EXPECT_EQ(verdict(largest), "taken");
  EXPECT_EQ(verdict(of_size(kTokenBytesMax + 1)), "too_large");
}

TEST(Token, scopes_are_whole_words) {
  struct Case {
    const char* name;
    const char* value;
    ScopeSet scopes;
  };
  const Case cases[] = {
      {"scope", "\"mail.send\"", {Scope::mail_send}},
      {"scope", "\"openid  mail.send   ops.read\"", {Scope::mail_send, Scope::ops_read}},
      {"scope", "\"\"", {}},
      {"scope", "\"mail.sendx xmail.send mail.send2 MAIL.SEND mail\"", {}},
      {"scope", "\"mail.send,ops.admin\"", {}},
      {"scope", "\"mail.send\\tops.admin\"", {}},
      {"scp", "\"webhook.send mail.send\"", {Scope::webhook_send, Scope::mail_send}},
      {"scp", R"(["webhook.send","ops.admin"])", {Scope::webhook_send, Scope::ops_admin}},
      {"scp", R"(["webhook.send ops.admin"])", {}},
  };
  for (const Case& one : cases) {
    const auto checked = check(issuer().ec.token(claims({{"scope", ""}, {one.name, one.value}})));
    ASSERT_TRUE(checked) << one.value;
    EXPECT_EQ(checked->identity.scopes, one.scopes) << one.value;
  }
}

TEST(Token, the_client_is_azp_else_client_id_else_sub) {
  const auto client = [](const std::vector<Claim>& changes) {
    const auto checked = check(issuer().ec.token(claims(changes)));
    return checked ? checked->identity.client.value() : checked.error().detail;
  };
  EXPECT_EQ(client({{"client_id", "\"b\""}}), "shop");
  EXPECT_EQ(client({{"azp", ""}, {"client_id", "\"b\""}}), "b");
  EXPECT_EQ(client({{"azp", ""}}), "f3a1");
}

TEST(Keys, that_cannot_verify_our_tokens_are_left_out) {
  const Issuer& i = issuer();
  struct Case {
    const char* what;
    std::string jwk;
  };
  const Case cases[] = {
      {"for encryption", i.rsa.jwk("enc")},
      {"for another algorithm", i.rsa.jwk("sig", R"(,"alg":"RSA-OAEP")")},
      {"for signing only", i.ec.jwk("", R"(,"key_ops":["sign"])")},
      {"symmetric", R"({"kty":"oct","kid":"x","k":"c2VjcmV0"})"},
      {"RSA with 1024 bit", SigningKey::rsa("weak", 1024).jwk()},
      {"another curve", SigningKey::ec("p384", "P-384").jwk()},
      {"a point off the curve", R"({"kty":"EC","crv":"P-256","kid":"x","x":")" +
                                    base64url(std::string(32, '\1')) + R"(","y":")" +
                                    base64url(std::string(32, '\2')) + "\"}"},
      {"a short Ed25519 key", R"({"kty":"OKP","crv":"Ed25519","kid":"x","x":"AAAA"})"},
      {"X25519", R"({"kty":"OKP","crv":"X25519","kid":"x","x":")" + base64url(std::string(32, '\1')) + "\"}"},
      {"no members", "{}"},
      {"no object", "1"},
      {"RSA with an even exponent",
       R"({"kty":"RSA","kid":"x","n":")" + base64url(std::string(256, '\xff')) + R"(","e":"Ag"})"},
  };
  for (const Case& one : cases) {
    const auto read = read_jwks(jwks_of({one.jwk, i.ed.jwk()}));
    ASSERT_TRUE(read) << one.what << ": " << read.error().message;
    EXPECT_EQ(read->size(), 1U) << one.what;
    EXPECT_FALSE(read_jwks(jwks_of({one.jwk}))) << one.what << ": and nothing is left";
  }
  for (const char* text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]})", "<html>"})
    EXPECT_FALSE(read_jwks(text)) << text;
  EXPECT_FALSE(read_jwks(jwks_of(std::vector<std::string>(kJwksKeysMax + 1, i.ec.jwk())))) << "too many";
}

TEST(Keys, without_a_kid_only_the_one_of_the_algorithm_fits) {
  const SigningKey second = SigningKey::ec("e2");
  const KeySet two = must_read(jwks_of({issuer().ec.jwk(), second.jwk(), issuer().rsa.jwk()}));
  EXPECT_EQ(two.find("", TokenAlgorithm::ES256), nullptr);
  EXPECT_NE(two.find("", TokenAlgorithm::RS256), nullptr);
  EXPECT_NE(two.find("e2", TokenAlgorithm::ES256), nullptr);
  EXPECT_EQ(two.find("e2", TokenAlgorithm::RS256), nullptr);
}

// Wycheproof's signatures, where the contracts are: forged ones are refused, good ones taken.
TEST(Keys, judge_wycheproofs_signatures_right) {
  const char* contracts = std::getenv("EILBOTE_CONTRACTS");
  if (contracts == nullptr)
    GTEST_SKIP() << "EILBOTE_CONTRACTS is not set: Wycheproof's vectors are NOT checked";
  std::ifstream file(std::string(contracts) + "/jose/wycheproof-jws-subset.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  int valid = 0, invalid = 0;
  const boost::json::value vectors = boost::json::parse(text);
  for (const auto& group : vectors.at("testGroups").as_array()) {
    const auto* jwk = group.as_object().if_contains("public");
    if (jwk == nullptr) continue;
    const auto keys = read_jwks(jwks_of({boost::json::serialize(*jwk)}));
    for (const auto& test : group.at("tests").as_array()) {
      const auto* jws = test.as_object().if_contains("jws");
      if (jws == nullptr || !jws->is_string()) continue;
      const std::string token(jws->as_string());
      const auto read = read_token(token);
      const VerifyKey* key = read && keys ? keys->find(read->kid, read->algorithm) : nullptr;
      const bool taken = key != nullptr && key->made(read->signature, read->signed_part);
      const std::string result(test.at("result").as_string()), what(test.at("comment").as_string());
      if (result == "invalid") {
        EXPECT_FALSE(taken) << test.at("tcId") << " " << what;
        ++invalid;
      } else if (!read && read.error().fault == TokenFault::algorithm) {
        continue;  // good, but of an algorithm that is not taken
      } else if (result == "valid" && what != "emptyPayload") {  // ours are never empty
        EXPECT_TRUE(taken) << test.at("tcId") << " " << what << " " << (read ? "" : read.error().detail);
        ++valid;
      }
    }
  }
  EXPECT_GE(valid, 5);
  EXPECT_GE(invalid, 100);
}

}  // namespace
}  // namespace eilbote::test::auth_jwt_test
