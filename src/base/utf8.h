// UTF-8 checks and repairs. Text from peers passes through here before it is stored or printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eilbote {

// Well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// The same text with every malformed byte replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

// What a peer said, made fit to store: repaired, no NUL or other control characters (blanks instead),
// cut to at most `characters_max` code points.
std::string clean_peer_text(std::string_view text, std::size_t characters_max);

// The first `characters_max` code points of well-formed UTF-8.
std::string_view utf8_prefix(std::string_view text, std::size_t characters_max);

std::size_t utf8_length(std::string_view text);

}  // namespace eilbote
