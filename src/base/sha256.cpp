#include "base/sha256.h"

#include <openssl/sha.h>

#include <cstring>
#include <string>

namespace eilbote {

Sha256 sha256(std::string_view bytes) {
  Sha256 digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
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
