// Reads a JSON document strictly: UTF-8, depth at most 32, a million values, no member twice, no U+0000, no
// number out of range.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>
#include <tl/expected.hpp>

#include "api/problem.h"

namespace eilbote {

inline constexpr std::size_t kJsonDepthMax = 32;
inline constexpr std::size_t kJsonValuesMax = 1'000'000;

// The value lives in `storage`. The problem says where the text is broken (line, column, offset), or names
// every member given twice and every text with U+0000 by its pointer.
tl::expected<boost::json::value, Problem> read_json(std::string_view text, boost::json::storage_ptr storage);

// RFC 6901: one step of a pointer, escaped, cut if it is very long.
std::string pointer_step(std::string_view name);

}  // namespace eilbote
