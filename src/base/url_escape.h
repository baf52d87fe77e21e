// Percent-encoding (RFC 3986 §2.1): of what is put into a URL, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eilbote {

// Everything but letters, digits, "-._~" and what is in `kept` becomes %XX.
std::string url_escaped(std::string_view text, std::string_view kept = "");

// Any bytes may come out; a plus sign is a plus sign. Nothing when a % is not followed by two hexadecimal digits.
std::optional<std::string> url_unescaped(std::string_view text);

}  // namespace eilbote
