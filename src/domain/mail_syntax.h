// Small questions about the texts in a mail, asked by check_mail (to refuse) and by write_mime (to never
// write what should have been refused). Pure.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

inline constexpr std::size_t kHeaderNameMax = 76;
// 1 to 76 characters of RFC 5322 ftext: printable, no blank, no colon.
bool is_header_name(std::string_view name);
// Headers the engine writes itself or that belong to the transport; clients may not set them.
bool is_engine_header(std::string_view name);
// Structured headers (List-*, References, ...): written as given, never as RFC 2047 words, so only ASCII fits
// in.
bool is_verbatim_header(std::string_view name);
// The longest word together with the blanks before it: what folding cannot shorten.
std::size_t longest_stretch(std::string_view text);
// With a header's name in front it still fits into the 998 octets of a line.
inline constexpr std::size_t kStretchMax = 900;

// type/subtype with optional parameters; not multipart or message, which cannot be base64 (RFC 2046 §5).
bool is_content_type(std::string_view text);
// What may stand between the angle brackets of a Content-ID: at most 128 atom characters, dots and one '@'.
bool is_content_id(std::string_view text);

}  // namespace eilbote
