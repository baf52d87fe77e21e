// The bodies of a message: transfer encodings and line ends. Used by mime.cpp and mime_header.cpp only.
#pragma once

#include <string>
#include <string_view>

namespace eilbote::mime {

// Base64 without line breaks.
void append_base64(std::string& out, std::string_view bytes);
// Base64 in lines of 76 characters, each ended with CRLF.
void append_base64_lines(std::string& out, std::string_view bytes);

// A text part: Content-Transfer-Encoding (the shorter of quoted-printable and base64), the empty line and the
// body. Line ends of any kind become CRLF, and the last line gets one.
void append_text_body(std::string& out, std::string_view text);

}  // namespace eilbote::mime
