#include "support/tls_identity.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <csignal>
#include <stdexcept>

namespace eilbote::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

void add_extension(X509* certificate, int what, const std::string& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// With its own signature where there is no authority.
Certificate make_certificate(EVP_PKEY* key, const std::string& host, SSL_CTX* authority) {
  Certificate made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 24L * 3600);
  X509_NAME* const name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(host.c_str()),
                             -1, -1, 0);
  X509_set_issuer_name(
      made.get(), authority == nullptr ? name : X509_get_subject_name(SSL_CTX_get0_certificate(authority)));
  X509_set_pubkey(made.get(), key);
  const bool is_address =
      host.find_first_not_of("0123456789.") == std::string::npos || host.find(':') != std::string::npos;
  add_extension(made.get(), NID_subject_alt_name, (is_address ? "IP:" : "DNS:") + host);
  if (authority == nullptr) add_extension(made.get(), NID_basic_constraints, "critical,CA:TRUE");
  EVP_PKEY* const signer = authority == nullptr ? key : SSL_CTX_get0_privatekey(authority);
  if (X509_sign(made.get(), signer, EVP_sha256()) == 0) throw std::runtime_error("cannot sign a certificate");
  return made;
}

// What `write` puts into a BIO.
template <class Write>
std::string to_pem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  write(memory.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

TlsIdentity::TlsIdentity(const std::string& host) : TlsIdentity(host, nullptr) {}

TlsIdentity::TlsIdentity(const std::string& host, const TlsIdentity& authority)
    : TlsIdentity(host, &authority) {}

TlsIdentity::TlsIdentity(const std::string& host, const TlsIdentity* authority)
    : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
  // OpenSSL writes to a socket whose other end may be gone without asking for an error instead of a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  if (!key) throw std::runtime_error("cannot make a key");
  const Certificate certificate =
      make_certificate(key.get(), host, authority == nullptr ? nullptr : authority->server_context());
  SSL_CTX_use_certificate(context_.get(), certificate.get());
  SSL_CTX_use_PrivateKey(context_.get(), key.get());
  pem_ = to_pem([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); });
  key_pem_ = to_pem(
      [&](BIO* out) { PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

}  // namespace eilbote::test
