// Writes a text as a JSON string. For the places that print JSON without building a document (logs, small
// answers).
#pragma once

#include <string>
#include <string_view>

namespace eilbote {

// Appends `text` in quotes, with everything escaped that JSON wants escaped. Bytes that are not UTF-8 become
// U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace eilbote
