// A message as it travels behind DATA: lines end in CRLF, a dot at the start of a line is doubled, and a line with a dot
// alone ends it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// Bare CR and LF become CRLF first, so that no server can be made to see an end where there is none.
std::string smtp_body(std::string_view message);

}  // namespace eilbote
