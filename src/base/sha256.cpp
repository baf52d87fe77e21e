#include "base/sha256.h"

#include <openssl/evp.h>

#include <cstring>
#include <string>

#include "base/assert.h"

namespace eilbote {

Sha256 sha256(std::string_view bytes) {
  // Fetched once: OpenSSL 3 looks the algorithm up by its name in every one-shot call, which costs more than a short text.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Sha256 digest;
  const int ok = EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm, nullptr);
  EILBOTE_ASSERT(ok == 1);
  return digest;
}

std::int64_t hash64(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts) {
    joined += std::to_string(part.size());
    joined += ':';
    joined += part;
  }
  const Sha256 digest = sha256(joined);
  std::int64_t cut = 0;
  std::memcpy(&cut, digest.data(), sizeof cut);
  return cut;
}

}  // namespace eilbote
