// AES-256-GCM: text ‖ tag under a key and a nonce that is used once. What encrypted:// and sealed contents are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.h"

namespace eilbote {

inline constexpr std::size_t kDataKeyBytes = 32;
inline constexpr std::size_t kNonceBytes = 12;
inline constexpr std::size_t kTagBytes = 16;

// `bound` is not in it, but must be the same to open it.
std::string aead_seal(std::string_view text, const Secret& key, std::string_view nonce,
                      std::string_view bound);
// Nothing when the tag does not fit: another key, another `bound`, or changed bytes.
std::optional<std::string> aead_open(std::string_view sealed, const Secret& key, std::string_view nonce,
                                     std::string_view bound);

}  // namespace eilbote
