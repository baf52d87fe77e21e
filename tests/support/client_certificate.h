// Keys and certificates of an application, made in memory, as PEM: what it proves itself with instead of a secret.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace eilbote::test {

using PrivateKey = std::shared_ptr<EVP_PKEY>;

PrivateKey rsa_key(unsigned bits = 2048);
PrivateKey ec_key();
std::string key_pem(const PrivateKey& key, const std::string& passphrase = "");

// Valid for the first day of 2026, where FakeClock begins, and the one before; signed by itself.
std::shared_ptr<X509> certificate_of(const PrivateKey& key);
std::string certificate_pem(const std::shared_ptr<X509>& certificate);

}  // namespace eilbote::test
