#include "config/nearest.h"

#include <algorithm>
#include <vector>

namespace eilbote {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: before[j] is the distance of a[0..i-1) to b[0..j).
  std::vector<int> two_before, before(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    before[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = before;
    before = row;
  }
  return before[b.size()];
}

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  const std::string wanted = lower(name);
  std::string best;
  int best_distance = std::max(2, static_cast<int>(name.size()) / 3) + 1;
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace eilbote
