#include "secrets/encrypted.h"

#include <openssl/evp.h>

#include <memory>

#include "base/assert.h"
#include "base/base64.h"
#include "base/secure_random.h"

namespace eilbote {
namespace {

constexpr std::string_view kPrefix = "encrypted://";
constexpr std::string_view kShortPrefix = "encrypted:";
constexpr char kVersion = '\1';
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
// Far more than any secret needs; keeps lengths within OpenSSL's int.
constexpr std::size_t kBlobBytesMax = 128 * 1024;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string seal(const Secret& secret, const Secret& key, std::string_view nonce) {
  const std::string& text = secret.reveal();
  const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  std::string sealed(text.size(), '\0');
  std::string tag(kTagBytes, '\0');
  int written = 0, rest = 0;
  const bool done = cipher &&
                    EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key.reveal()),
                                       bytes_of(nonce)) == 1 &&
                    EVP_EncryptUpdate(cipher.get(), bytes_of(sealed), &written, bytes_of(text),
                                      static_cast<int>(text.size())) == 1 &&
                    EVP_EncryptFinal_ex(cipher.get(), bytes_of(sealed) + written, &rest) == 1 &&
                    EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1;
  EILBOTE_ASSERT(done);  // nothing in the input can make it fail
  return sealed + tag;
}

// Nothing when the tag does not fit: another key, another layout, or a changed text.
std::optional<Secret> unseal(std::string_view blob, const Secret& key) {
  if (key.empty() || blob.size() < kNonceBytes + kTagBytes) return std::nullopt;
  const std::string_view nonce = blob.substr(0, kNonceBytes);
  const std::string_view sealed = blob.substr(kNonceBytes, blob.size() - kNonceBytes - kTagBytes);
  std::string tag(blob.substr(blob.size() - kTagBytes));
  const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
  std::string text(sealed.size(), '\0');
  int written = 0, rest = 0;
  const bool fits = cipher &&
                    EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key.reveal()),
                                       bytes_of(nonce)) == 1 &&
                    EVP_DecryptUpdate(cipher.get(), bytes_of(text), &written, bytes_of(sealed),
                                      static_cast<int>(sealed.size())) == 1 &&
                    EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
                    EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + written, &rest) == 1;
  if (!fits) return std::nullopt;
  return Secret(std::move(text));
}

}  // namespace

std::optional<std::string_view> encrypted_part(std::string_view reference) {
  for (const std::string_view prefix : {kPrefix, kShortPrefix})
    if (reference.starts_with(prefix)) return reference.substr(prefix.size());
  return std::nullopt;
}

std::string encrypt_secret(const Secret& secret, const DataKeys& keys) {
  EILBOTE_ASSERT(keys.current.reveal().size() == kDataKeyBytes);
  const std::string nonce = secure_bytes(kNonceBytes);
  return std::string(kPrefix) + base64_encode(kVersion + nonce + seal(secret, keys.current, nonce));
}

Result<Secret> decrypt_secret(std::string_view base64, const DataKeys& keys) {
  const auto blob = base64_decode(base64);
  if (!blob || blob->size() < kNonceBytes + kTagBytes || blob->size() > kBlobBytesMax)
    return fail(ErrorKind::invalid, "secret encrypted://***: is not the base64 of an encrypted secret");
  // A first byte of 0x01 may also be an old layout's nonce: the tag decides.
  const std::string_view all(*blob);
  for (const Secret* key : {&keys.current, &keys.previous}) {
    if (all.front() == kVersion)
      if (auto secret = unseal(all.substr(1), *key)) return std::move(*secret);
    if (auto secret = unseal(all, *key)) return std::move(*secret);
  }
  return fail(ErrorKind::unavailable,
              "secret encrypted://***: the data key does not open it; it was written under another one "
              "(EILBOTE_DATA_KEY_REF, EILBOTE_DATA_KEY_PREVIOUS_REF)");
}

}  // namespace eilbote
