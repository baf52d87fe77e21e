#include "auth/jwks.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>

#include "base/base64url.h"
#include "base/rsa_bits.h"
#include "domain/json_members.h"
#include "domain/strict_json.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kEcBytes = 32;  // of a coordinate of P-256, and of r and s
constexpr std::size_t kEd25519Bytes = 32;
constexpr std::size_t kEdSignatureBytes = 64;
constexpr int kRsaBitsMax = 8192;  // larger ones only cost us time
constexpr std::size_t kExponentBytesMax = 8;

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// A member in Base64URL; empty when it is absent or broken.
std::string bytes_at(const json::object& jwk, std::string_view name) {
  auto bytes = decode_base64url(text_in(jwk, name));
  return bytes ? std::move(*bytes) : std::string();
}

Number number_of(std::string_view bytes) {
  return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

Key key_from(const char* kind, OSSL_PARAM* params) {
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (!context || EVP_PKEY_fromdata_init(context.get()) <= 0 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) <= 0)
    return nullptr;
  return Key(key);
}

Key read_rsa(const json::object& jwk) {
  const std::string modulus = bytes_at(jwk, "n"), exponent = bytes_at(jwk, "e");
  const Number n = number_of(modulus), e = number_of(exponent);
  if (!n || !e || exponent.size() > kExponentBytesMax || BN_num_bits(n.get()) < kRsaBitsMin ||
      BN_num_bits(n.get()) > kRsaBitsMax || !BN_is_odd(n.get()) || !BN_is_odd(e.get()) || BN_is_one(e.get()))
    return nullptr;
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (!builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return nullptr;
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  return params ? key_from("RSA", params.get()) : nullptr;
}

Key read_ec(const json::object& jwk) {
  const std::string x = bytes_at(jwk, "x"), y = bytes_at(jwk, "y");
  if (text_in(jwk, "crv") != "P-256" || x.size() != kEcBytes || y.size() != kEcBytes) return nullptr;
  std::string point = "\x04" + x + y;  // uncompressed
  std::string group = "P-256";
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
      OSSL_PARAM_construct_end()};
  return key_from("EC", params);  // refuses a point that is not on the curve
}

Key read_ed25519(const json::object& jwk) {
  const std::string x = bytes_at(jwk, "x");
  if (text_in(jwk, "crv") != "Ed25519" || x.size() != kEd25519Bytes) return nullptr;
  return Key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(x), x.size()));
}

struct KeyKind {
  std::string_view kty;
  TokenAlgorithm algorithm;
  Key (*read)(const json::object& jwk);
};
constexpr KeyKind kKinds[] = {{"RSA", TokenAlgorithm::RS256, read_rsa},
                              {"EC", TokenAlgorithm::ES256, read_ec},
                              {"OKP", TokenAlgorithm::EdDSA, read_ed25519}};

bool may_verify(const json::object& jwk) {
  if (const std::string use = text_in(jwk, "use"); !use.empty() && use != "sig") return false;
  const json::value* operations = jwk.if_contains("key_ops");
  if (operations == nullptr) return true;
  const json::array* list = operations->if_array();
  return list != nullptr && std::any_of(list->begin(), list->end(), [](const json::value& one) {
           return one.is_string() && one.get_string() == "verify";
         });
}

std::optional<VerifyKey> read_key(const json::object& jwk) {
  if (!may_verify(jwk)) return std::nullopt;
  const std::string kty = text_in(jwk, "kty"), alg = text_in(jwk, "alg"), kid = text_in(jwk, "kid");
  for (const KeyKind& kind : kKinds) {
    if (kind.kty != kty) continue;
    if (!alg.empty() && alg != kTokenAlgorithmNames.text(kind.algorithm)) return std::nullopt;
    Key key = kind.read(jwk);
    if (!key || kid.size() > kKeyIdBytesMax) return std::nullopt;
    return VerifyKey(kid, kind.algorithm, std::shared_ptr<EVP_PKEY>(key.release(), EVP_PKEY_free));
  }
  return std::nullopt;
}

// A token has r and s side by side, OpenSSL wants them in DER; empty when they cannot be a signature.
std::string der_signature(std::string_view raw) {
  if (raw.size() != 2 * kEcBytes) return {};
  Number r = number_of(raw.substr(0, kEcBytes)), s = number_of(raw.substr(kEcBytes));
  const EcSignature both(ECDSA_SIG_new());
  if (!r || !s || BN_is_zero(r.get()) || BN_is_zero(s.get()) || !both) return {};
  if (ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return {};
  (void)r.release();
  (void)s.release();
  unsigned char* der = nullptr;
  const int length = i2d_ECDSA_SIG(both.get(), &der);
  if (length <= 0) return {};
  std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(length));
  OPENSSL_free(der);
  return text;
}

bool verifies(EVP_PKEY* key, const EVP_MD* digest, std::string_view signature, std::string_view text) {
  const DigestContext context(EVP_MD_CTX_new());
  const bool good = context && EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
                    EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                                     text.size()) == 1;
  if (!good) ERR_clear_error();  // what is left there, TLS on this thread would take for its own
  return good;
}

}  // namespace

bool VerifyKey::made(std::string_view signature, std::string_view text) const {
  switch (algorithm_) {
    case TokenAlgorithm::RS256:
      return verifies(key_.get(), EVP_sha256(), signature, text);
    case TokenAlgorithm::ES256: {
      const std::string der = der_signature(signature);
      return !der.empty() && verifies(key_.get(), EVP_sha256(), der, text);
    }
    case TokenAlgorithm::EdDSA:
      break;
  }
  return signature.size() == kEdSignatureBytes && verifies(key_.get(), nullptr, signature, text);
}

const VerifyKey* KeySet::find(std::string_view kid, TokenAlgorithm algorithm) const {
  const VerifyKey* found = nullptr;
  for (const VerifyKey& key : keys_) {
    if (key.algorithm() != algorithm || (!kid.empty() && key.kid() != kid)) continue;
    if (found != nullptr) return nullptr;
    found = &key;
  }
  return found;
}

Result<KeySet> read_jwks(std::string_view text) {
  const auto value = parse_strict_json(text, {});
  const json::object* set = value && value->is_object() ? &value->get_object() : nullptr;
  const json::value* list = set != nullptr ? set->if_contains("keys") : nullptr;
  if (list == nullptr || !list->is_array())
    return fail(ErrorKind::invalid, "the keys must be a JSON object with an array 'keys'");
  if (list->get_array().size() > kJwksKeysMax)
    return fail(ErrorKind::invalid, "there are more than " + std::to_string(kJwksKeysMax) + " keys");
  std::vector<VerifyKey> keys;
  for (const json::value& jwk : list->get_array())
    if (const json::object* object = jwk.if_object())
      if (auto key = read_key(*object)) keys.push_back(std::move(*key));
  if (keys.empty())
    return fail(ErrorKind::invalid,
                "none of the keys can verify tokens (RSA from 2048 bit, P-256 or Ed25519, for signatures)");
  return KeySet(std::move(keys));
}

}  // namespace eilbote
