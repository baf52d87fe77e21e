#include "ports/http.h"

#include <algorithm>

namespace eilbote {

std::string_view HttpRequest::header(std::string_view name) const {
  const auto same = [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  };
  for (const auto& [key, value] : headers)
    if (key.size() == name.size() && std::equal(key.begin(), key.end(), name.begin(), same)) return value;
  return {};
}

}  // namespace eilbote
