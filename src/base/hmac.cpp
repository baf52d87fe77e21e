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

std::string to_base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a NUL
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string padded(text);
  while (padded.ends_with('='))
    padded.pop_back();
  const std::size_t missing = (4 - padded.size() % 4) % 4;
  if (missing == 3 || (padded.size() != text.size() && text.size() % 4 != 0)) return std::nullopt;
  if (padded.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") !=
      std::string::npos)
    return std::nullopt;
  padded.append(missing, '=');
  std::string out(padded.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(padded),
                                   static_cast<int>(padded.size()));
  if (size < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(size) - missing);
  return out;
}

}  // namespace eilbote
