#include "base/sha256.h"

#include <openssl/evp.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <string>

#include "base/assert.h"

namespace eilbote {

Sha256 sha256(std::string_view bytes) {
  // Fetched once: OpenSSL 3 looks the algorithm up by its name in every one-shot call, which costs more than a short text.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  // Kept, for the same reason: making one costs as much as the digest of a short text.
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                                     &EVP_MD_CTX_free);
  Sha256 digest;
  const bool ok = EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1 &&
                  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1;
  EILBOTE_ASSERT(ok);
  return digest;
}

std::int64_t hash64(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (const std::string_view part : parts) {
    char length[24];
    char* const end = std::to_chars(std::begin(length), std::end(length), part.size()).ptr;
    joined.append(length, end) += ':';
    joined += part;
  }
  const Sha256 digest = sha256(joined);
  std::int64_t cut = 0;
  std::memcpy(&cut, digest.data(), sizeof cut);
  return cut;
}

}  // namespace eilbote
