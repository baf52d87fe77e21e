// Says whom a bearer token belongs to. The API asks for every request to a route that needs a scope; src/auth answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/enum_names.h"
#include "base/result.h"
#include "domain/identity.h"

namespace eilbote {

// Why a token is not taken; the label of a metric, so never anything from the token itself.
enum class TokenFault {
  malformed,    // not three parts of Base64URL with JSON in them, or a member twice
  too_large,    // over 8 KiB
  algorithm,    // none, symmetric, or one that is not taken
  type,         // an ID or refresh token, or no JWT
  critical,     // it demands an extension
  unknown_key,  // no key of the issuer has its kid and algorithm
  signature,
  issuer,
  audience,
  expired,
  not_yet,    // nbf or iat in the future
  claims,     // a claim that is needed is missing, or is not what it should be
  keys_away,  // the issuer's keys could not be had: says nothing about the token
};
inline constexpr auto kTokenFaultNames = enum_names<TokenFault>({{TokenFault::malformed, "malformed"},
                                                                 {TokenFault::too_large, "too_large"},
                                                                 {TokenFault::algorithm, "algorithm"},
                                                                 {TokenFault::type, "type"},
                                                                 {TokenFault::critical, "critical"},
                                                                 {TokenFault::unknown_key, "unknown_key"},
                                                                 {TokenFault::signature, "signature"},
                                                                 {TokenFault::issuer, "issuer"},
                                                                 {TokenFault::audience, "audience"},
                                                                 {TokenFault::expired, "expired"},
                                                                 {TokenFault::not_yet, "not_yet"},
                                                                 {TokenFault::claims, "claims"},
                                                                 {TokenFault::keys_away, "keys_away"}});
static_assert(kTokenFaultNames.complete());

struct TokenRefusal {
  TokenFault fault = TokenFault::malformed;
  std::string detail;  // for people; says what would be right, repeats nothing of the token
};
using AuthResult = tl::expected<Identity, TokenRefusal>;

class Authenticator {
 public:
  using Done = std::function<void(AuthResult)>;
  virtual ~Authenticator() = default;

  // Never blocks. `done` is called once: at once, or from another thread when keys have to be fetched first.
  virtual void authenticate(std::string_view token, Done done) = 0;
  // Whether tokens can be checked; the error says what is missing.
  virtual Result<void> ready() = 0;
};

}  // namespace eilbote
