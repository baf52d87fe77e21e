// How the application proves who it is with a certificate instead of a secret: a short-lived JWT, signed with its private key
// (RFC 7523, PS256), that the token endpoint checks against the certificate it knows. Used by channel/graph_token.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace eilbote {

inline constexpr Duration kAssertionLife = std::chrono::minutes{10};

struct AssertionClaims {
  std::string client_id;
  std::string audience;  // the token endpoint's URL
  std::string id;        // never the same twice
};

// `pem`: the private key (RSA, at least 2048 bits, without a passphrase) and its certificate, in any order. The error says
// what is wrong with them and repeats neither.
Result<Secret> make_client_assertion(const Secret& pem, const AssertionClaims& claims, TimePoint now);

// When the certificate in it expires; nothing where there is none.
std::optional<TimePoint> client_certificate_expiry(const Secret& pem);

}  // namespace eilbote
