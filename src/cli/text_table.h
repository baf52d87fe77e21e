// Columns of text for people: as wide as their widest cell, counted in characters.
#pragma once

#include <string>
#include <vector>

namespace eilbote::cli {

// The first row is the heading. Control characters become blanks, so that a peer's text cannot move the
// cursor.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

// The same cleaning for a single line.
std::string printable(std::string_view text);

}  // namespace eilbote::cli
