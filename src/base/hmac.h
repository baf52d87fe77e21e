// HMAC-SHA256 and the texts signatures travel in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace eilbote {

Sha256 hmac_sha256(std::string_view key, std::string_view message);

// "0aff": lower case.
std::string to_hex(const Sha256& digest);

// RFC 4648 §4, with padding.
std::string to_base64(std::string_view bytes);
// Padding may be left out; nullopt for anything else that is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace eilbote
