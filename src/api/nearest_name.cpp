#include "api/nearest_name.h"

#include <algorithm>
#include <vector>

namespace eilbote {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Levenshtein's distance, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t swap = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({swap, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view wrong, std::span<const std::string_view> names) {
  if (wrong.size() > 40) return {};
  std::string_view best;
  // A short name has few letters to be wrong in.
  const std::size_t distance_max = wrong.size() < 4 ? 1 : std::max<std::size_t>(2, wrong.size() / 3);
  std::size_t best_distance = distance_max + 1;
  for (const std::string_view name : names) {
    const std::size_t d = distance(wrong, name);
    if (d < best_distance) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace eilbote
