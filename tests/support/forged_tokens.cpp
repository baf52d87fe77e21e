#include "support/forged_tokens.h"

#include "auth/jwt.h"
#include "base/hmac.h"

namespace eilbote::test {
namespace {

class Forger {
 public:
  Forger(const IssuerKeys& keys, const TokenWords& words) : keys_(keys), words_(words) {}

  std::string claims(const std::vector<Claim>& changes = {}) const {
    return claims_json(words_.issuer, words_.audience, words_.now, changes);
  }

  std::string tampered(const SigningKey& key) const {
    const std::string token = key.token(claims());
    const auto first = token.find('.'), last = token.rfind('.');
    return token.substr(0, first + 1) + base64url(claims({{"scope", "\"ops.admin\""}})) + token.substr(last);
  }

  std::string unsigned_token(const std::string& header, const std::string& signature = "") const {
    return base64url(header) + "." + base64url(claims()) + "." + signature;
  }

  std::string with_hmac(const std::string& alg, const std::string& key) const {
    const std::string text =
        base64url(R"({"alg":")" + alg + R"(","kid":"r1","typ":"JWT"})") + "." + base64url(claims());
    const Sha256 mac = hmac_sha256(key, text);
    return text + "." + base64url({reinterpret_cast<const char*>(mac.data()), mac.size()});
  }

  std::string with_header(const std::string& members) const {
    return keys_.ec.token(R"({"alg":"ES256","kid":"e1",)" + members + "}", claims());
  }

  std::string with_claim(const std::string& name, const std::string& value) const {
    return keys_.ec.token(claims({{name, value}}));
  }

  std::string with_signature(const SigningKey& key, const std::string& signature) const {
    const std::string token = key.token(claims());
    return token.substr(0, token.rfind('.') + 1) + base64url(signature);
  }

  static std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
  }

  std::vector<Forged> forged_by_algorithm() const {
    const IssuerKeys& i = keys_;
    return {
        {"alg none", unsigned_token(R"({"alg":"none","typ":"JWT"})"), "algorithm"},
        {"alg None", unsigned_token(R"({"alg":"None","kid":"e1"})"), "algorithm"},
        {"alg nOnE with a signature", unsigned_token(R"({"alg":"nOnE","kid":"e1"})", "AAAA"), "algorithm"},
        {"alg empty", unsigned_token(R"({"alg":"","kid":"e1"})", "AAAA"), "algorithm"},
        {"alg absent", unsigned_token(R"({"kid":"e1"})", "AAAA"), "algorithm"},
        {"alg a number", unsigned_token(R"({"alg":256,"kid":"e1"})", "AAAA"), "algorithm"},
        {"HS256 with the public key", with_hmac("HS256", i.rsa.public_pem()), "algorithm"},
        {"HS512", with_hmac("HS512", "secret"), "algorithm"},
        {"RS512", i.rsa.token(R"({"alg":"RS512","kid":"r1"})", claims()), "algorithm"},
        {"PS256", i.rsa.token(R"({"alg":"PS256","kid":"r1"})", claims()), "algorithm"},
        {"rs256 in lower case", i.rsa.token(R"({"alg":"rs256","kid":"r1"})", claims()), "algorithm"},
        {"RS256 under an EC kid", i.rsa.token(R"({"alg":"RS256","kid":"e1"})", claims()), "unknown_key"},
        {"ES256 under an RSA kid", i.ec.token(R"({"alg":"ES256","kid":"r1"})", claims()), "unknown_key"},
        {"RS256 claimed over an EC signature", i.ec.token(R"({"alg":"RS256","kid":"r1"})", claims()),
         "signature"},
    };
  }

  std::vector<Forged> forged_by_signature() const {
    const IssuerKeys& i = keys_;
    const std::string good = i.ec.token(claims());
    const std::string text = good.substr(0, good.rfind('.'));
    const std::string zero(64, '\0');
    return {
        {"another's RSA key with our kid", i.other_rsa.token(claims()), "signature"},
        {"another's EC key with our kid", i.other_ec.token(claims()), "signature"},
        {"claims changed, RSA", tampered(i.rsa), "signature"},
        {"claims changed, EC", tampered(i.ec), "signature"},
        {"claims changed, EdDSA", tampered(i.ed), "signature"},
        {"r and s zero", with_signature(i.ec, zero), "signature"},
        {"EC signature in DER", with_signature(i.ec, std::string("\x30\x06\x02\x01\x01\x02\x01\x01", 8)),
         "signature"},
        {"EC signature cut", with_signature(i.ec, i.ec.sign(text).substr(0, 63)), "signature"},
        {"EC signature with more behind", with_signature(i.ec, i.ec.sign(text) + "x"), "signature"},
        {"EdDSA signature with more behind", with_signature(i.ed, zero + "x"), "signature"},
        {"RSA signature of one byte", with_signature(i.rsa, "x"), "signature"},
        {"no signature", text + ".", "malformed"},
        {"unknown kid", i.ec.token(R"({"alg":"ES256","kid":"e2"})", claims()), "unknown_key"},
        {"kid with a path", i.ec.token(R"({"alg":"ES256","kid":"../../etc/passwd"})", claims()),
         "unknown_key"},
        {"kid with SQL", i.ec.token(R"({"alg":"ES256","kid":"e1' OR '1'='1"})", claims()), "unknown_key"},
        {"kid empty", i.ec.token(R"({"alg":"ES256","kid":""})", claims()), "malformed"},
        {"kid a list", i.ec.token(R"({"alg":"ES256","kid":["e1"]})", claims()), "malformed"},
        {"kid too long", i.ec.token(R"({"alg":"ES256","kid":")" + std::string(257, 'k') + "\"}", claims()),
         "malformed"},
    };
  }

  // Each brings a key of its own, by value or by address; ours is used, so that it fails.
  std::vector<Forged> forged_by_header() const {
    const IssuerKeys& i = keys_;
    const auto own = [&](const std::string& member) {
      return i.other_ec.token(R"({"alg":"ES256","kid":"e1",)" + member + "}", claims());
    };
    return {
        {"jwk", own("\"jwk\":" + i.other_ec.jwk()), "signature"},
        {"jku", own(R"("jku":"https://evil.example/keys")"), "signature"},
        {"x5u", own(R"("x5u":"https://evil.example/cert")"), "signature"},
        {"x5c", own(R"("x5c":["MIIB"])"), "signature"},
        {"crit", with_header(R"("crit":["exp"],"exp":1)"), "critical"},
        {"crit empty", with_header(R"("crit":[])"), "critical"},
        {"b64", with_header(R"("b64":false)"), "critical"},
        {"typ of an ID token", with_header(R"("typ":"id_token")"), "type"},
        {"typ of a logout token", with_header(R"("typ":"logout+jwt")"), "type"},
        {"typ a number", with_header(R"("typ":1)"), "type"},
        {"kid twice", i.ec.token(R"({"alg":"ES256","kid":"x","kid":"e1"})", claims()), "malformed"},
        {"alg twice", i.ec.token(R"({"alg":"none","kid":"e1","alg":"ES256"})", claims()), "malformed"},
        {"header a list", i.ec.token("[]", claims()), "malformed"},
        {"header no JSON", i.ec.token("{alg:ES256}", claims()), "malformed"},
    };
  }

  std::vector<Forged> forged_by_claims() const {
    const std::string past = std::to_string(words_.now - 60), future = std::to_string(words_.now + 600);
    return {
        {"another issuer", with_claim("iss", "\"https://idp.example.org/realms/other\""), "issuer"},
        {"issuer with a slash more", with_claim("iss", "\"" + words_.issuer + "/\""), "issuer"},
        {"issuer in capitals", with_claim("iss", "\"HTTPS://IDP.EXAMPLE.ORG/realms/shop\""), "issuer"},
        {"no issuer", with_claim("iss", ""), "issuer"},
        {"issuers in a list", with_claim("iss", "[\"" + words_.issuer + "\"]"), "issuer"},
        {"another audience", with_claim("aud", "\"account\""), "audience"},
        {"audience within a longer one", with_claim("aud", "\"eilbote-test\""), "audience"},
        {"audiences without ours", with_claim("aud", R"(["account","other"])"), "audience"},
        {"audiences with a number", with_claim("aud", R"(["eilbote",1])"), "audience"},
        {"audience empty", with_claim("aud", "[]"), "audience"},
        {"no audience", with_claim("aud", ""), "audience"},
        {"audience an object", with_claim("aud", R"({"eilbote":true})"), "audience"},
        {"expired", with_claim("exp", past), "expired"},
        {"expired long ago", with_claim("exp", "0"), "expired"},
        {"no exp", with_claim("exp", ""), "claims"},
        {"exp a text", with_claim("exp", "\"1900000000\""), "claims"},
        {"exp negative", with_claim("exp", "-1"), "claims"},
        {"exp beyond all years", with_claim("exp", "1e300"), "claims"},
        {"exp null", with_claim("exp", "null"), "claims"},
        {"nbf in the future", with_claim("nbf", future), "not_yet"},
        {"nbf a text", with_claim("nbf", "\"soon\""), "claims"},
        {"iat in the future", with_claim("iat", future), "not_yet"},
        {"an ID token of Keycloak", with_claim("typ", "\"ID\""), "type"},
        {"a refresh token of Keycloak", with_claim("typ", "\"Refresh\""), "type"},
        {"bound to a key", with_claim("cnf", R"({"jkt":"abc"})"), "type"},
    };
  }

  std::vector<Forged> forged_by_form() const {
    const IssuerKeys& i = keys_;
    const std::string good = i.ec.token(claims());
    const std::string all = claims();
    return {
        {"scope a list", with_claim("scope", R"(["ops.admin"])"), "claims"},
        {"scope an object", with_claim("scope", "{}"), "claims"},
        {"client empty", with_claim("azp", "\"\""), "claims"},
        {"client with a line break", with_claim("azp", R"("a\nb")"), "claims"},
        {"client too long", with_claim("azp", "\"" + std::string(256, 'c') + "\""), "claims"},
        {"client a number", with_claim("azp", "1"), "claims"},
        {"no client at all", i.ec.token(claims({{"azp", ""}, {"sub", ""}})), "claims"},
        {"exp twice", i.ec.token(replaced(all, "{", R"({"exp":1,)")), "malformed"},
        {"scope twice", i.ec.token(replaced(all, "}", R"(,"scope":"ops.admin"})")), "malformed"},
        {"a member twice inside", with_claim("realm_access", R"({"a":1,"a":2})"), "malformed"},
        {"U+0000", with_claim("azp", R"("shop\u0000")"), "malformed"},
        {"claims a text", i.ec.token("\"x\""), "malformed"},
        {"claims not UTF-8", i.ec.token("{\"iss\":\"\xff\"}"), "malformed"},
        {"empty", "", "malformed"},
        {"a word", "garbage", "malformed"},
        {"two parts", good.substr(0, good.rfind('.')), "malformed"},
        {"four parts", good + ".AAAA", "malformed"},
        {"five parts, as if encrypted", good + ".AAAA.AAAA", "malformed"},
        {"with padding", good + "==", "malformed"},
        {"plain Base64", replaced(good, ".", "+."), "malformed"},
        {"a blank inside", replaced(good, ".", ". "), "malformed"},
        {"JSON serialization", R"({"payload":"e30","signatures":[]})", "malformed"},
        {"too large", with_claim("pad", "\"" + std::string(kTokenBytesMax, 'p') + "\""), "too_large"},
    };
  }

 private:
  const IssuerKeys& keys_;
  const TokenWords& words_;
};

}  // namespace

std::vector<Forged> forged_tokens(const IssuerKeys& keys, const TokenWords& words) {
  const Forger forger(keys, words);
  std::vector<Forged> all;
  for (const auto& family : {forger.forged_by_algorithm(), forger.forged_by_signature(),
                             forger.forged_by_header(), forger.forged_by_claims(), forger.forged_by_form()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

}  // namespace eilbote::test
