#include "cli/text_table.h"

#include <algorithm>

#include "base/utf8.h"

namespace eilbote::cli {

std::string printable(std::string_view text) {
  return clean_peer_text(text, 2000);
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    auto& clean = cells.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      clean.push_back(printable(row[i]));
      widths[i] = std::max(widths[i], utf8_length(clean.back()));
    }
  }
  std::string out;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - utf8_length(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace eilbote::cli
