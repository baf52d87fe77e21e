// Base64 (RFC 4648 §4): how keys and credentials are written. Attachments and MIME have their own (base/base64url.h,
// domain/mime_body.h), with other rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eilbote {

std::string base64_encode(std::string_view bytes);

// Strict: the standard alphabet, padded to full groups, no bits left over; nothing for anything else.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace eilbote
