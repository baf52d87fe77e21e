// The nearest right name to a wrong one, for messages that help.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eilbote {

// Single-letter changes, insertions, removals and swaps of neighbours that lead from one to the other.
int edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `name`, ignoring case; empty when none is close enough to be meant.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace eilbote
