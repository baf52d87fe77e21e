// Tokens of a test's own issuer: keys of each kind, good tokens, and any forgery. Signs with the bytes it is given and
// asks no questions.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace eilbote::test {

std::string base64url(std::string_view bytes);

class SigningKey {
 public:
  static SigningKey rsa(std::string kid, unsigned bits = 2048);
  static SigningKey ec(std::string kid, const char* curve = "P-256");
  static SigningKey ed25519(std::string kid);

  const std::string& kid() const { return kid_; }
  const std::string& algorithm() const { return algorithm_; }
  // The public part; `extra`: more members, each with a comma in front ("\"use\" is sig" is always there unless `use` says
  // otherwise).
  std::string jwk(const std::string& use = "sig", const std::string& extra = "") const;
  std::string public_pem() const;
  // As a JWS has it: for EC r and s side by side.
  std::string sign(std::string_view text) const;

  // {"alg":..,"kid":..,"typ":"JWT"}
  std::string header() const;
  std::string token(const std::string& claims) const { return token(header(), claims); }
  std::string token(const std::string& header, const std::string& claims) const;

 private:
  SigningKey(std::string kid, std::string algorithm, EVP_PKEY* key);
  std::string kid_, algorithm_;
  std::shared_ptr<EVP_PKEY> key_;
};

// {"keys":[..]} of these JWKs.
std::string jwks_of(const std::vector<std::string>& jwks);

// {"iss":..,"aud":..,"azp":"shop","sub":..,"iat":..,"exp":..,"scope":..} with `changes` in place of, or after, these:
// a value as JSON, an empty one takes the claim out.
struct Claim {
  std::string name, value;
};
std::string claims_json(const std::string& issuer, const std::string& audience, std::int64_t now,
                        const std::vector<Claim>& changes = {});

}  // namespace eilbote::test
