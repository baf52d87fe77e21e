// Base64URL (RFC 4648 §5), padding optional: how attachments travel in JSON, and the parts of a token.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace eilbote {

// The error says what is wrong and where; '+' and '/' are refused by name, so is padding that does not fit.
Result<std::string> decode_base64url(std::string_view text);

// Without padding, as tokens have it.
std::string encode_base64url(std::string_view bytes);

}  // namespace eilbote
