#include "auth/jwt.h"

#include <fmt/format.h>

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "base/ascii.h"
#include "base/base64url.h"
#include "domain/strict_json.h"

namespace eilbote {
namespace {

namespace json = boost::json;
using enum TokenFault;

constexpr std::size_t kClientBytesMax = 255;    // as elsewhere: what a client's name may have
constexpr std::size_t kSubjectBytesMax = 255;   // OpenID Connect Core says so
constexpr double kSecondsMax = 253402300799.0;  // the year 9999

tl::unexpected<TokenRefusal> refuse(TokenFault fault, std::string detail) {
  return tl::unexpected(TokenRefusal{fault, std::move(detail)});
}

std::string_view view(const json::string& text) {
  return {text.data(), text.size()};
}

// ---- the parts ----

std::optional<std::string> decode_part(std::string_view part) {
  if (part.empty() || part.ends_with('=')) return std::nullopt;  // RFC 7515: no padding
  auto bytes = decode_base64url(part);
  if (!bytes) return std::nullopt;
  return std::move(*bytes);
}

tl::expected<json::object, TokenRefusal> read_object(std::string_view text, std::string_view what) {
  auto value = parse_strict_json(text, {});
  if (!value && value.error().broken.empty())
    return refuse(malformed, fmt::format("the token's {} has a member twice, or U+0000 in a text", what));
  if (!value || !value->is_object())
    return refuse(malformed, fmt::format("the token's {} is not a JSON object", what));
  return std::move(value->get_object());
}

// ---- the header ----

std::optional<TokenRefusal> check_type(const json::object& header) {
  const json::value* typ = header.if_contains("typ");
  if (typ == nullptr) return std::nullopt;
  const std::string name = ascii_lower(typ->is_string() ? view(typ->get_string()) : "");
  if (name == "jwt" || name == "at+jwt" || name == "application/at+jwt") return std::nullopt;
  return TokenRefusal{type, "the token's typ must be JWT or at+jwt"};
}

tl::expected<UnverifiedToken, TokenRefusal> read_header(const json::object& header) {
  UnverifiedToken token;
  const json::value* alg = header.if_contains("alg");
  const auto known =
      alg != nullptr && alg->is_string() ? kTokenAlgorithmNames.parse(view(alg->get_string())) : std::nullopt;
  if (!known)
    return refuse(algorithm,
                  "the token must be signed with one of these algorithms: " + kTokenAlgorithmNames.list());
  token.algorithm = *known;
  if (auto wrong = check_type(header)) return tl::unexpected(std::move(*wrong));
  if (header.contains("crit"))
    return refuse(critical, "the token demands an extension that is not known here");
  // RFC 7797 changes what is signed; it has to be marked critical, but who forges tokens may forget that.
  if (header.contains("b64"))
    return refuse(critical, "the token demands an extension that is not known here");
  if (const json::value* kid = header.if_contains("kid")) {
    if (!kid->is_string() || kid->get_string().empty() || kid->get_string().size() > kKeyIdBytesMax)
      return refuse(malformed,
                    fmt::format("the token's kid must be a text of 1 to {} bytes", kKeyIdBytesMax));
    token.kid = view(kid->get_string());
  }
  return token;
}

// ---- the claims ----

// Seconds since 1970 as JSON has them, fractions allowed; nothing when the claim is no such number.
std::optional<TimePoint> read_time(const json::value& value) {
  double seconds = 0;
  if (const auto* whole = value.if_int64())
    seconds = static_cast<double>(*whole);
  else if (const auto* large = value.if_uint64())
    seconds = static_cast<double>(*large);
  else if (const auto* fraction = value.if_double())
    seconds = *fraction;
  else
    return std::nullopt;
  if (!(seconds >= 0) || seconds > kSecondsMax) return std::nullopt;
  return TimePoint{Duration{static_cast<std::int64_t>(std::floor(seconds * 1e6))}};
}

std::optional<TokenRefusal> check_times(const json::object& claims, const TokenRules& rules, TimePoint now,
                                        TimePoint& expires_at) {
  const json::value* exp = claims.if_contains("exp");
  const auto end = exp != nullptr ? read_time(*exp) : std::nullopt;
  if (!end) return TokenRefusal{TokenFault::claims, "the token needs exp, in seconds since 1970"};
  if (*end + rules.skew <= now) return TokenRefusal{expired, "the token has expired"};
  expires_at = *end;
  for (const char* name : {"nbf", "iat"}) {
    const json::value* claim = claims.if_contains(name);
    if (claim == nullptr) continue;
    const auto begin = read_time(*claim);
    if (!begin)
      return TokenRefusal{TokenFault::claims, fmt::format("the token's {} must be seconds since 1970", name)};
    if (*begin > now + rules.skew)
      return TokenRefusal{not_yet, fmt::format("the token's {} is in the future", name)};
  }
  return std::nullopt;
}

bool is_text(const json::value* value, std::string_view expected) {
  return value != nullptr && value->is_string() && view(value->get_string()) == expected;
}

bool names_audience(const json::value* aud, std::string_view ours) {
  if (aud == nullptr || !aud->is_array()) return is_text(aud, ours);
  const json::array& all = aud->get_array();
  // One that is no text makes the whole claim worthless.
  return std::all_of(all.begin(), all.end(), [](const json::value& one) { return one.is_string(); }) &&
         std::any_of(all.begin(), all.end(), [&](const json::value& one) { return is_text(&one, ours); });
}

void add_words(std::string_view words, ScopeSet& scopes) {
  while (!words.empty()) {
    const auto space = words.find(' ');
    if (const auto known = kScopeNames.parse(words.substr(0, space))) scopes.add(*known);
    words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
  }
}

// Whole words; those that are not ours are somebody else's.
std::optional<ScopeSet> read_scopes(const json::object& claims) {
  const json::value* claim = claims.if_contains("scope");
  const bool only_text = claim != nullptr;
  if (claim == nullptr) claim = claims.if_contains("scp");
  ScopeSet scopes;
  if (claim == nullptr) return scopes;
  if (claim->is_string()) return add_words(view(claim->get_string()), scopes), scopes;
  if (only_text || !claim->is_array()) return std::nullopt;
  for (const json::value& one : claim->get_array()) {
    if (!one.is_string()) return std::nullopt;
    if (const auto known = kScopeNames.parse(view(one.get_string()))) scopes.add(*known);
  }
  return scopes;
}

bool is_name(std::string_view text, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max && !has_control(text);
}

// The first of azp, client_id and sub that is there: the application the token was made for.
tl::expected<ClientName, TokenRefusal> read_client(const json::object& claims) {
  for (const char* name : {"azp", "client_id", "sub"}) {
    const json::value* claim = claims.if_contains(name);
    if (claim == nullptr) continue;
    if (!claim->is_string() || !is_name(view(claim->get_string()), kClientBytesMax))
      return refuse(TokenFault::claims, fmt::format("the token's {} must be a text of 1 to {} bytes without "
                                                    "control characters",
                                                    name, kClientBytesMax));
    return ClientName{std::string(view(claim->get_string()))};
  }
  return refuse(TokenFault::claims, "the token names no client: it needs azp, client_id or sub");
}

tl::expected<Identity, TokenRefusal> read_identity(const json::object& claims) {
  Identity identity;
  auto client = read_client(claims);
  if (!client) return tl::unexpected(client.error());
  identity.client = std::move(*client);
  if (const json::value* sub = claims.if_contains("sub")) {
    if (!sub->is_string() || !is_name(view(sub->get_string()), kSubjectBytesMax))
      return refuse(TokenFault::claims, fmt::format("the token's sub must be a text of 1 to {} bytes without "
                                                    "control characters",
                                                    kSubjectBytesMax));
    identity.subject = view(sub->get_string());
  }
  const auto scopes = read_scopes(claims);
  if (!scopes)
    return refuse(TokenFault::claims, "the token's scope must be a text (scp: a text or a list of texts)");
  identity.scopes = *scopes;
  return identity;
}

}  // namespace

tl::expected<UnverifiedToken, TokenRefusal> read_token(std::string_view token) {
  if (token.size() > kTokenBytesMax)
    return refuse(too_large, fmt::format("the token must have at most {} bytes", kTokenBytesMax));
  if (std::count(token.begin(), token.end(), '.') != 2)
    return refuse(malformed, "the token must be a signed JWT: three parts with dots between them");
  const auto first = token.find('.'), second = token.rfind('.');
  const auto header = decode_part(token.substr(0, first));
  auto claims = decode_part(token.substr(first + 1, second - first - 1));
  if (!header || !claims) return refuse(malformed, "the token's parts must be Base64URL without padding");
  const auto head = read_object(*header, "header");
  if (!head) return tl::unexpected(head.error());
  auto read = read_header(*head);
  if (!read) return read;
  auto signature = decode_part(token.substr(second + 1));
  if (!signature) return refuse(malformed, "the token's signature must be Base64URL without padding");
  read->claims = std::move(*claims);
  read->signed_part = token.substr(0, second);
  read->signature = std::move(*signature);
  return read;
}

tl::expected<CheckedToken, TokenRefusal> check_claims(std::string_view text, const TokenRules& rules,
                                                      TimePoint now) {
  const auto claims = read_object(text, "claims");
  if (!claims) return tl::unexpected(claims.error());
  if (!is_text(claims->if_contains("iss"), rules.issuer))
    return refuse(issuer, "the token is from another issuer");
  if (!names_audience(claims->if_contains("aud"), rules.audience))
    return refuse(audience, "the token is not for this server: its aud does not name it");
  // Keycloak marks what a token is for in its claims: ID, Refresh and Offline tokens are not for us, and one that is
  // bound to a key (DPoP) must not be taken without the proof.
  if (const json::value* kind = claims->if_contains("typ"); kind != nullptr && !is_text(kind, "Bearer"))
    return refuse(type, "the token must be an access token: the claim typ must be Bearer or absent");
  if (claims->contains("cnf"))
    return refuse(type, "the token is bound to a key (cnf); only plain bearer tokens are taken");
  CheckedToken checked;
  if (auto wrong = check_times(*claims, rules, now, checked.expires_at))
    return tl::unexpected(std::move(*wrong));
  auto identity = read_identity(*claims);
  if (!identity) return tl::unexpected(identity.error());
  checked.identity = std::move(*identity);
  return checked;
}

}  // namespace eilbote
