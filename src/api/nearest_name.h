// The right name that a wrong one was probably meant to be.
#pragma once

#include <span>
#include <string_view>

namespace eilbote {

// The nearest of `names` by edits, ignoring case; empty when none is near.
std::string_view nearest_name(std::string_view wrong, std::span<const std::string_view> names);

}  // namespace eilbote
