#include "base/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <stdexcept>

namespace eilbote {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
  Sha256 digest;
  unsigned int size = 0;
  // OpenSSL takes a null key for "the key of before".
  const std::string_view given = key.empty() ? std::string_view("") : key;
  if (HMAC(EVP_sha256(), given.data(), static_cast<int>(given.size()), bytes_of(message), message.size(),
           digest.data(), &size) == nullptr ||
      size != digest.size())
    throw std::runtime_error("HMAC-SHA256 is not available in this OpenSSL");
  return digest;
}

std::string to_hex(const Sha256& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(digest.size() * 2);
  for (const std::uint8_t byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace eilbote
