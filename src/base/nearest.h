// The right name that a wrong one was probably meant to be; for messages that help.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace eilbote {

// Single-letter changes, insertions, removals and swaps of neighbours that lead from one to the other,
// ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The closest of `names` (strings or string views); empty when none is close enough to be meant.
template <class Names>
std::string nearest(std::string_view wrong, const Names& names) {
  if (wrong.size() > 64) return {};  // no name is that long, and the comparison is quadratic
  // A short name has few letters to be wrong in.
  int best_distance = (wrong.size() < 4 ? 1 : std::max(2, static_cast<int>(wrong.size()) / 3)) + 1;
  std::string best;
  for (const auto& name : names) {
    const int distance = edit_distance(wrong, name);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = name;
  }
  return best;
}

}  // namespace eilbote
