// Percent-encoding (RFC 3986 §2.1) of what is put into a URL.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// Everything but letters, digits, "-._~" and what is in `kept` becomes %XX.
std::string url_escaped(std::string_view text, std::string_view kept = "");

}  // namespace eilbote
