// The query of a request target: name=value pairs, percent-decoded. A plus sign is a plus sign.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace eilbote {

struct Target {
  std::string path;   // as sent, without query
  std::string query;  // without '?'
};
// Takes "/path?query" and the absolute form "http://host/path?query".
Target split_target(std::string_view target);

// Percent-decoded; nothing when it is broken, not UTF-8, or holds a NUL.
std::optional<std::string> decoded_text(std::string_view text);

// Refuses broken percent signs, bytes that are not UTF-8, NUL, and a name given twice; the error names it.
Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query);

}  // namespace eilbote
