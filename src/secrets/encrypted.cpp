#include "secrets/encrypted.h"

#include "base/assert.h"
#include "base/base64.h"
#include "base/secure_random.h"

namespace eilbote {
namespace {

constexpr std::string_view kPrefix = "encrypted://";
constexpr std::string_view kShortPrefix = "encrypted:";
constexpr char kVersion = '\1';
// Far more than any secret needs; keeps lengths within OpenSSL's int.
constexpr std::size_t kBlobBytesMax = 128 * 1024;

// Nothing when the tag does not fit: another key, another layout, or a changed text.
std::optional<Secret> unseal(std::string_view blob, const Secret& key) {
  if (key.empty() || blob.size() < kNonceBytes + kTagBytes) return std::nullopt;
  auto text = aead_open(blob.substr(kNonceBytes), key, blob.substr(0, kNonceBytes), "");
  if (!text) return std::nullopt;
  return Secret(std::move(*text));
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
  return std::string(kPrefix) +
         base64_encode(kVersion + nonce + aead_seal(secret.reveal(), keys.current, nonce, ""));
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
  return fail(
      ErrorKind::unavailable,
      "secret encrypted://***: the data key does not open it: it was written under another one; name that "
      "one in EILBOTE_DATA_KEY_PREVIOUS_REF");
}

}  // namespace eilbote
