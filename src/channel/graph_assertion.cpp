#include "channel/graph_assertion.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

#include "base/base64url.h"
#include "base/certificate_time.h"
#include "base/json_escape.h"
#include "base/rsa_bits.h"

namespace eilbote {
namespace {

template <auto Free>
struct FreedBy {
  template <class T>
  void operator()(T* what) const {
    Free(what);
  }
};
using PemBio = std::unique_ptr<BIO, FreedBy<BIO_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using SigningContext = std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>>;

tl::unexpected<Error> bad_pem(const char* what) {
  return fail(ErrorKind::invalid, what);
}

// Nobody is there to type a passphrase.
int no_passphrase(char*, int, int, void*) {
  return 0;
}

PemBio pem_bio(const Secret& pem) {
  return PemBio(BIO_new_mem_buf(pem.reveal().data(), static_cast<int>(pem.reveal().size())));
}

struct ClientIdentity {
  PrivateKey key;
  Certificate certificate;
};

Result<ClientIdentity> read_client_identity(const Secret& pem, TimePoint now) {
  ClientIdentity identity;
  identity.key.reset(PEM_read_bio_PrivateKey(pem_bio(pem).get(), nullptr, no_passphrase, nullptr));
  if (!identity.key)
    return bad_pem("the certificate's PEM has no private key that can be read without a passphrase");
  if (EVP_PKEY_get_base_id(identity.key.get()) != EVP_PKEY_RSA ||
      EVP_PKEY_get_bits(identity.key.get()) < kRsaBitsMin)
    return bad_pem("the certificate's private key must be RSA with at least 2048 bits");
  identity.certificate.reset(PEM_read_bio_X509(pem_bio(pem).get(), nullptr, no_passphrase, nullptr));
  if (!identity.certificate) return bad_pem("the PEM has a private key, but no certificate");
  if (X509_check_private_key(identity.certificate.get(), identity.key.get()) != 1)
    return bad_pem("the private key and the (first) certificate of the PEM do not belong together");
  auto seconds = std::chrono::system_clock::to_time_t(now);
  if (X509_cmp_time(X509_get0_notAfter(identity.certificate.get()), &seconds) < 0)
    return bad_pem("the certificate has expired");
  return identity;
}

// SHA-256 of the certificate as DER: by this the endpoint finds it among those it knows.
std::string thumbprint(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  return encode_base64url({reinterpret_cast<const char*>(digest.data()), size});
}

std::string assertion_header(const std::string& certificate_id) {
  return fmt::format(R"({{"alg":"PS256","typ":"JWT","x5t#S256":"{}"}})", certificate_id);
}

std::string assertion_claims(const AssertionClaims& claims, TimePoint now) {
  const auto seconds = [](TimePoint at) {
    return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  };
  std::string out;
  const auto put = [&out](std::string_view name, std::string_view value) {
    out += out.empty() ? '{' : ',';
    append_json_string(out, name);
    out += ':';
    append_json_string(out, value);
  };
  put("aud", claims.audience);
  put("iss", claims.client_id);
  put("sub", claims.client_id);
  put("jti", claims.id);
  return out +
         fmt::format(R"(,"nbf":{0},"iat":{0},"exp":{1}}})", seconds(now), seconds(now + kAssertionLife));
}

std::string signature_of(EVP_PKEY* key, std::string_view text) {
  const SigningContext signing(EVP_MD_CTX_new());
  EVP_PKEY_CTX* how = nullptr;  // belongs to `signing`
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  if (!signing || EVP_DigestSignInit(signing.get(), &how, EVP_sha256(), nullptr, key) != 1 ||
      EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) != 1 ||
      EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_DIGEST) != 1 ||
      EVP_DigestSign(signing.get(), nullptr, &size, bytes, text.size()) != 1)
    return {};
  std::string made(size, '\0');
  if (EVP_DigestSign(signing.get(), reinterpret_cast<unsigned char*>(made.data()), &size, bytes,
                     text.size()) != 1)
    return {};
  made.resize(size);
  return made;
}

}  // namespace

Result<Secret> make_client_assertion(const Secret& pem, const AssertionClaims& claims, TimePoint now) {
  const auto identity = read_client_identity(pem, now);
  if (!identity) return fail(identity.error());
  std::string token = encode_base64url(assertion_header(thumbprint(identity->certificate.get()))) + "." +
                      encode_base64url(assertion_claims(claims, now));
  const std::string signed_by_us = signature_of(identity->key.get(), token);
  if (signed_by_us.empty())
    return fail(ErrorKind::internal, "OpenSSL cannot sign with the certificate's key");
  return Secret(token + "." + encode_base64url(signed_by_us));
}

std::optional<TimePoint> client_certificate_expiry(const Secret& pem) {
  const Certificate certificate(PEM_read_bio_X509(pem_bio(pem).get(), nullptr, no_passphrase, nullptr));
  if (!certificate) return std::nullopt;
  return expiry_of(certificate.get());
}

}  // namespace eilbote
