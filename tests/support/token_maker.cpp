#include "support/token_maker.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <stdexcept>

#include "base/base64.h"

namespace eilbote::test {
namespace {

std::string number_param(EVP_PKEY* key, const char* name, int width = 0) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) throw std::runtime_error(name);
  const int bytes = std::max(BN_num_bytes(number), width);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(text.data()), bytes);
  BN_free(number);
  return text;
}

int coordinate_bytes(EVP_PKEY* key) {
  return (EVP_PKEY_get_bits(key) + 7) / 8;
}

std::string raw_signature(const std::string& der, int width) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* both = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::string raw(2 * static_cast<std::size_t>(width), '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(both), out, width);
  BN_bn2binpad(ECDSA_SIG_get0_s(both), out + width, width);
  ECDSA_SIG_free(both);
  return raw;
}

}  // namespace

std::string base64url(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  text.erase(std::find(text.begin(), text.end(), '='), text.end());
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

SigningKey::SigningKey(std::string kid, std::string algorithm, EVP_PKEY* key)
    : kid_(std::move(kid)), algorithm_(std::move(algorithm)), key_(key, EVP_PKEY_free) {
  if (key == nullptr) throw std::runtime_error("no key");
}

SigningKey SigningKey::rsa(std::string kid, unsigned bits) {
  return {std::move(kid), "RS256", EVP_RSA_gen(bits)};
}
SigningKey SigningKey::ec(std::string kid, const char* curve) {
  return {std::move(kid), "ES256", EVP_EC_gen(curve)};
}
SigningKey SigningKey::ed25519(std::string kid) {
  return {std::move(kid), "EdDSA", EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")};
}

std::string SigningKey::jwk(const std::string& use, const std::string& extra) const {
  std::string out = R"({"kid":")" + kid_ + R"(")";
  if (!use.empty()) out += R"(,"use":")" + use + "\"";
  const auto put = [&](const char* name, const std::string& bytes) {
    out += std::string(",\"") + name + "\":\"" + base64url(bytes) + "\"";
  };
  if (algorithm_ == "RS256") {
    out += R"(,"kty":"RSA")";
    put("n", number_param(key_.get(), OSSL_PKEY_PARAM_RSA_N));
    put("e", number_param(key_.get(), OSSL_PKEY_PARAM_RSA_E));
  } else if (algorithm_ == "ES256") {
    const int width = coordinate_bytes(key_.get());
    out += std::string(R"(,"kty":"EC","crv":")") + (width == 32 ? "P-256" : "P-384") + "\"";
    put("x", number_param(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, width));
    put("y", number_param(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, width));
  } else {
    std::string bytes(32, '\0');
    std::size_t length = bytes.size();
    EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &length);
    out += R"(,"kty":"OKP","crv":"Ed25519")";
    put("x", bytes);
  }
  return out + extra + "}";
}

std::string SigningKey::public_pem() const {
  BIO* memory = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(memory, key_.get());
  char* data = nullptr;
  const long length = BIO_get_mem_data(memory, &data);
  std::string pem(data, static_cast<std::size_t>(length));
  BIO_free(memory);
  return pem;
}

std::string SigningKey::sign(std::string_view text) const {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t length = 0;
  EVP_DigestSignInit(context, nullptr, algorithm_ == "EdDSA" ? nullptr : EVP_sha256(), nullptr, key_.get());
  EVP_DigestSign(context, nullptr, &length, bytes, text.size());
  std::string signature(length, '\0');
  EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &length, bytes, text.size());
  signature.resize(length);
  EVP_MD_CTX_free(context);
  return algorithm_ == "ES256" ? raw_signature(signature, coordinate_bytes(key_.get())) : signature;
}

std::string SigningKey::header() const {
  return R"({"alg":")" + algorithm_ + R"(","kid":")" + kid_ + R"(","typ":"JWT"})";
}

std::string SigningKey::token(const std::string& header, const std::string& claims) const {
  const std::string text = base64url(header) + "." + base64url(claims);
  return text + "." + base64url(sign(text));
}

std::string jwks_of(const std::vector<std::string>& jwks) {
  std::string out = R"({"keys":[)";
  for (const std::string& jwk : jwks)
    out += (out.back() == '[' ? "" : ",") + jwk;
  return out + "]}";
}

std::string claims_json(const std::string& issuer, const std::string& audience, std::int64_t now,
                        const std::vector<Claim>& changes) {
  std::vector<Claim> claims{{"iss", "\"" + issuer + "\""},
                            {"aud", "\"" + audience + "\""},
                            {"azp", "\"shop\""},
                            {"sub", "\"f3a1\""},
                            {"iat", std::to_string(now)},
                            {"exp", std::to_string(now + 300)},
                            {"scope", "\"mail.send mail.status:read\""}};
  for (const Claim& change : changes) {
    const auto found = std::find_if(claims.begin(), claims.end(),
                                    [&](const Claim& claim) { return claim.name == change.name; });
    if (found == claims.end())
      claims.push_back(change);
    else
      found->value = change.value;
  }
  std::string out = "{";
  for (const Claim& claim : claims)
    if (!claim.value.empty()) out += (out.size() == 1 ? "\"" : ",\"") + claim.name + "\":" + claim.value;
  return out + "}";
}

}  // namespace eilbote::test
