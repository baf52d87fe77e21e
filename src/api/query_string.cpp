#include "api/query_string.h"

#include <algorithm>

#include "base/url_escape.h"
#include "base/utf8.h"

namespace eilbote {

std::optional<std::string> decoded_text(std::string_view text) {
  auto out = url_unescaped(text);
  if (!out || !is_utf8(*out) || out->find('\0') != std::string::npos) return std::nullopt;
  return out;
}

Target split_target(std::string_view target) {
  if (!target.starts_with('/')) {
    if (const auto scheme = target.find("://"); scheme != std::string_view::npos) {
      const auto path = target.find('/', scheme + 3);
      target = path == std::string_view::npos ? std::string_view("/") : target.substr(path);
    }
  }
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return {std::string(target), ""};
  return {std::string(target.substr(0, mark)), std::string(target.substr(mark + 1))};
}

Result<std::vector<std::pair<std::string, std::string>>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const auto equals = part.find('=');
    const auto name = decoded_text(part.substr(0, equals));
    if (!name)
      return fail(ErrorKind::invalid, "the query has a parameter whose name is not percent-encoded UTF-8");
    const auto value =
        decoded_text(equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1));
    const std::string shown(utf8_prefix(*name, 64));
    if (!value)
      return fail(ErrorKind::invalid, "query parameter '" + shown + "' is not percent-encoded UTF-8");
    for (const auto& pair : pairs)
      if (pair.first == *name)
        return fail(ErrorKind::invalid, "query parameter '" + shown + "' is given twice");
    pairs.emplace_back(*name, *value);
  }
  return pairs;
}

}  // namespace eilbote
