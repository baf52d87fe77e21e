#include "base/nearest.h"

#include <vector>

#include "base/ascii.h"

namespace eilbote {

int edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: before[j] is the distance of a[0..i-1) to b[0..j).
  std::vector<int> two_before, before(b.size() + 1), row(b.size() + 1);
  const auto same = [&](std::size_t i, std::size_t j) { return ascii_lower(a[i]) == ascii_lower(b[j]); };
  for (std::size_t j = 0; j <= b.size(); ++j)
    before[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = same(i - 1, j - 1) ? 0 : 1;
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + change});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1))
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = before;
    before = row;
  }
  return before[b.size()];
}

}  // namespace eilbote
