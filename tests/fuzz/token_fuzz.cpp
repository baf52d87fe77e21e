// Whatever is given as a token, as its claims, or as an issuer's keys: what is refused is refused with words that can stand in
// a header, what is taken has a client's name and an end.
#include <algorithm>

#include "auth/jwks.h"
#include "auth/jwt.h"
#include "base/ascii.h"
#include "fuzz/fuzz.h"

namespace eilbote::fuzz {
namespace {

// The words go into a quoted string of WWW-Authenticate.
std::string fault_of(const TokenRefusal& refusal) {
  if (refusal.detail.empty()) return "refused without a word";
  if (!is_printable_ascii(refusal.detail) || refusal.detail.find_first_of("\"\\") != std::string::npos)
    return "words that break a header: " + refusal.detail;
  return {};
}

std::string check_token(std::string_view bytes) {
  const auto token = read_token(bytes);
  if (!token) return fault_of(token.error());
  if (bytes.size() > kTokenBytesMax || token->kid.size() > kKeyIdBytesMax) return "a limit does not hold";
  if (token->signature.empty() || token->claims.empty()) return "a part is missing";
  if (!bytes.starts_with(token->signed_part)) return "not the text that was signed";
  return {};
}

}  // namespace

std::string token_fuzz(std::string_view bytes) {
  if (std::string wrong = check_token(bytes); !wrong.empty()) return wrong;
  const TimePoint now{std::chrono::days{20'000}};
  const auto claims = check_claims(bytes, {"https://idp.example.org", "eilbote"}, now);
  if (!claims) {
    if (std::string wrong = fault_of(claims.error()); !wrong.empty()) return wrong;
  } else {
    const std::string& client = claims->identity.client.value();
    if (client.empty() || has_control(client)) return "a client without a proper name";
    if (claims->expires_at + std::chrono::seconds{60} <= now) return "taken after its end";
  }
  const auto keys = read_jwks(bytes);
  if (keys && (keys->size() == 0 || keys->size() > kJwksKeysMax))
    return "a set without keys, or with too many";
  return {};
}

}  // namespace eilbote::fuzz
