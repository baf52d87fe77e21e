// Letters of ASCII, whatever the locale: what protocols compare names by.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace eilbote {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// ASCII letters in lower case, everything else as it is.
inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    c = ascii_lower(c);
  return lower;
}

constexpr bool same_but_for_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

}  // namespace eilbote
