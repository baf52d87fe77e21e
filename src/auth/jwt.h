// A token as it comes in: taken apart, and its claims held against the rules. Pure; the signature is checked with a key
// from auth/jwks.h. In this order: read_token (nothing is believed yet), find the key, verify, check_claims.
//
// The headers jku, x5u, jwk and x5c are ignored: a token cannot bring its own key, and stock issuers do send some of them.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/enum_names.h"
#include "base/time.h"
#include "ports/authenticator.h"

namespace eilbote {

inline constexpr std::size_t kTokenBytesMax = 8 * 1024;
inline constexpr std::size_t kKeyIdBytesMax = 256;

// What we take. Everything else, `none` and HS* first of all, is refused before any key is looked at.
enum class TokenAlgorithm { RS256, ES256, EdDSA };
inline constexpr auto kTokenAlgorithmNames = enum_names<TokenAlgorithm>(
    {{TokenAlgorithm::RS256, "RS256"}, {TokenAlgorithm::ES256, "ES256"}, {TokenAlgorithm::EdDSA, "EdDSA"}});
static_assert(kTokenAlgorithmNames.complete());

struct UnverifiedToken {
  TokenAlgorithm algorithm = TokenAlgorithm::RS256;
  std::string kid;               // empty: none
  std::string claims;            // JSON, not looked at yet
  std::string_view signed_part;  // into the text that was read
  std::string signature;
};
tl::expected<UnverifiedToken, TokenRefusal> read_token(std::string_view token);

struct TokenRules {
  std::string issuer;
  std::string audience;
  Duration skew = std::chrono::seconds{60};
};

struct CheckedToken {
  Identity identity;
  TimePoint expires_at{};  // as the token says, without the skew
};
// For a token whose signature was verified.
tl::expected<CheckedToken, TokenRefusal> check_claims(std::string_view claims, const TokenRules& rules,
                                                      TimePoint now);

}  // namespace eilbote
