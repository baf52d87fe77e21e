// HMAC written out over a digest that is fetched once: OpenSSL's own one-shot call looks its parts up every time, which costs
// more than the hashing of a small message.
#include "base/hmac.h"

#include <openssl/evp.h>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace eilbote {
namespace {

constexpr std::size_t kBlock = 64;
using Block = std::array<std::uint8_t, kBlock>;

class Hasher {
 public:
  Hasher()
      : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free),
        digest_(EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_free) {
    if (!context_ || !digest_) throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  }

  // Of one part after the other.
  Sha256 hash(const Block& first, const void* second, std::size_t size) {
    Sha256 digest;
    if (EVP_DigestInit_ex2(context_.get(), digest_.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context_.get(), first.data(), first.size()) != 1 ||
        EVP_DigestUpdate(context_.get(), second, size) != 1 ||
        EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1)
      throw std::runtime_error("SHA-256 failed");
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> digest_;
};

Block padded(const Block& key, std::uint8_t with) {
  Block block = key;
  for (std::uint8_t& byte : block)
    byte ^= with;
  return block;
}

}  // namespace

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
  thread_local Hasher hasher;
  Block block{};
  if (key.size() > kBlock) {
    const Sha256 shorter = sha256(key);
    std::memcpy(block.data(), shorter.data(), shorter.size());
  } else if (!key.empty()) {
    std::memcpy(block.data(), key.data(), key.size());
  }
  const Sha256 inner = hasher.hash(padded(block, 0x36), message.data(), message.size());
  return hasher.hash(padded(block, 0x5c), inner.data(), inner.size());
}

}  // namespace eilbote
