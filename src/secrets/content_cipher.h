// Seals contents under the data key. A sealed content is 0x01 ‖ the key's id (5 bytes) ‖ nonce (12) ‖ AES-256-GCM; in columns
// that hold text, 0x01 and the base64 of that. Row and part are bound to it, so that nobody can put one row's content into
// another. Made by the composition root.
#pragma once

#include <memory>

#include "ports/content_cipher.h"
#include "secrets/encrypted.h"

namespace eilbote {

// Seals under the current key; opens under both.
std::unique_ptr<ContentCipher> make_content_cipher(DataKeys keys);

}  // namespace eilbote
