// Reads a JSON document strictly: UTF-8, depth at most 32, a million values, no member twice, no U+0000, no number out of
// range. Used for request bodies (api/json_document.h) and for tokens.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "domain/fault.h"

namespace eilbote {

inline constexpr std::size_t kJsonDepthMax = 32;
inline constexpr std::size_t kJsonValuesMax = 1'000'000;

struct JsonTrouble {
  std::string broken;  // where the text stops being JSON (line, column, offset) and why; empty: it is JSON
  std::vector<Fault> faults;  // every member given twice and every text with U+0000, by its pointer
};

// The value lives in `storage`.
tl::expected<boost::json::value, JsonTrouble> parse_strict_json(std::string_view text,
                                                                boost::json::storage_ptr storage);

}  // namespace eilbote
