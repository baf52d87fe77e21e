// Secrets encrypted at rest: `encrypted://BASE64`, AES-256-GCM with a 12-byte random nonce and a 16-byte tag.
// Written as 0x01 ‖ nonce ‖ text ‖ tag; read so, and without the first byte, as programs before wrote it.
// No files here: data_key.h knows where the key is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "secrets/aead.h"

namespace eilbote {

struct DataKeys {
  Secret current;   // kDataKeyBytes bytes
  Secret previous;  // the same, or empty: there was none
};

// The BASE64 behind `encrypted://` or `encrypted:`; nothing for another reference.
std::optional<std::string_view> encrypted_part(std::string_view reference);

// "encrypted://..." under the current key.
std::string encrypt_secret(const Secret& secret, const DataKeys& keys);
// Under the current or the previous key. The error never repeats the text.
Result<Secret> decrypt_secret(std::string_view base64, const DataKeys& keys);

}  // namespace eilbote
