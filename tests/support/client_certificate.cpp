#include "support/client_certificate.h"

#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace eilbote::test {
namespace {

template <class Write>
std::string written_pem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  write(memory.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

PrivateKey rsa_key(unsigned bits) {
  return {EVP_RSA_gen(bits), EVP_PKEY_free};
}

PrivateKey ec_key() {
  return {EVP_EC_gen("P-256"), EVP_PKEY_free};
}

std::string key_pem(const PrivateKey& key, const std::string& passphrase) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(passphrase.data());
  return written_pem([&](BIO* out) {
    PEM_write_bio_PrivateKey(out, key.get(), passphrase.empty() ? nullptr : EVP_aes_128_cbc(),
                             passphrase.empty() ? nullptr : bytes, static_cast<int>(passphrase.size()),
                             nullptr, nullptr);
  });
}

std::shared_ptr<X509> certificate_of(const PrivateKey& key) {
  std::shared_ptr<X509> made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 7);
  ASN1_TIME_set_string(X509_getm_notBefore(made.get()), "20251231000000Z");
  ASN1_TIME_set_string(X509_getm_notAfter(made.get()), "20260102000000Z");
  X509_set_pubkey(made.get(), key.get());
  X509_sign(made.get(), key.get(), EVP_sha256());
  return made;
}

std::string certificate_pem(const std::shared_ptr<X509>& certificate) {
  return written_pem([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); });
}

}  // namespace eilbote::test
