// An issuer's public keys (JWKS, RFC 7517), and whether one of them made a signature. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/jwt.h"
#include "base/result.h"

struct evp_pkey_st;

namespace eilbote {

inline constexpr std::size_t kJwksKeysMax = 100;

class VerifyKey {
 public:
  VerifyKey(std::string kid, TokenAlgorithm algorithm, std::shared_ptr<evp_pkey_st> key)
      : kid_(std::move(kid)), algorithm_(algorithm), key_(std::move(key)) {}

  const std::string& kid() const { return kid_; }
  TokenAlgorithm algorithm() const { return algorithm_; }
  bool made(std::string_view signature, std::string_view text) const;

 private:
  std::string kid_;
  TokenAlgorithm algorithm_;  // the one it is for: a key has one use
  std::shared_ptr<evp_pkey_st> key_;
};

class KeySet {
 public:
  explicit KeySet(std::vector<VerifyKey> keys) : keys_(std::move(keys)) {}

  // By kid and algorithm; without a kid the only one for the algorithm. Null when there is none, or more than one.
  const VerifyKey* find(std::string_view kid, TokenAlgorithm algorithm) const;
  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<VerifyKey> keys_;
};

// Leaves out what cannot verify our tokens: encryption keys, symmetric ones, RSA under 2048 bit, other curves, points that
// are not on theirs. An error when the text is no JWKS, or nothing is left.
Result<KeySet> read_jwks(std::string_view text);

}  // namespace eilbote
