// Letters, digits, blanks and control characters of ASCII, whatever the locale: what protocols compare names by, and what texts that
// go into a header, a log or a line must not hold.
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

// Without the blanks and line ends around it.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool same_but_for_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

// C0 or DEL; covers CR, LF, NUL and TAB.
constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}
constexpr bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

// 0x20 to 0x7E.
constexpr bool is_printable(char c) {
  return c >= 0x20 && c < 0x7F;
}
constexpr bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_printable);
}

constexpr bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace eilbote
