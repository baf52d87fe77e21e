#include "secrets/aead.h"

#include <openssl/evp.h>

#include <memory>

#include "base/assert.h"

namespace eilbote {
namespace {

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
int size_of(std::string_view text) {
  return static_cast<int>(text.size());
}

}  // namespace

std::string aead_seal(std::string_view text, const Secret& key, std::string_view nonce,
                      std::string_view bound) {
  const CipherContext cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  std::string sealed(text.size() + kTagBytes, '\0');
  int written = 0, rest = 0, ignored = 0;
  const bool done =
      cipher &&
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key.reveal()), bytes_of(nonce)) ==
          1 &&
      (bound.empty() ||
       EVP_EncryptUpdate(cipher.get(), nullptr, &ignored, bytes_of(bound), size_of(bound)) == 1) &&
      EVP_EncryptUpdate(cipher.get(), bytes_of(sealed), &written, bytes_of(text), size_of(text)) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), bytes_of(sealed) + written, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes),
                          sealed.data() + text.size()) == 1;
  EILBOTE_ASSERT(done);  // nothing in the input can make it fail
  return sealed;
}

std::optional<std::string> aead_open(std::string_view sealed, const Secret& key, std::string_view nonce,
                                     std::string_view bound) {
  if (key.reveal().size() != kDataKeyBytes || nonce.size() != kNonceBytes || sealed.size() < kTagBytes)
    return std::nullopt;
  const std::string_view body = sealed.substr(0, sealed.size() - kTagBytes);
  std::string tag(sealed.substr(body.size()));
  const CipherContext cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  std::string text(body.size(), '\0');
  int written = 0, rest = 0, ignored = 0;
  const bool fits =
      cipher &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key.reveal()), bytes_of(nonce)) ==
          1 &&
      (bound.empty() ||
       EVP_DecryptUpdate(cipher.get(), nullptr, &ignored, bytes_of(bound), size_of(bound)) == 1) &&
      EVP_DecryptUpdate(cipher.get(), bytes_of(text), &written, bytes_of(body), size_of(body)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTagBytes), tag.data()) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + written, &rest) == 1;
  if (!fits) return std::nullopt;
  return text;
}

}  // namespace eilbote
