// Hexadecimal digits, written and read: digests and ids in lower case, escapes (%C3, =C3) in upper case.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace eilbote {

inline constexpr std::string_view kLowerHex = "0123456789abcdef";
inline constexpr std::string_view kUpperHex = "0123456789ABCDEF";

// -1: it is no digit. Both cases are read.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr bool is_hex(char c) {
  return hex_value(c) >= 0;
}

// "0aff".
inline std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    out += kLowerHex[byte >> 4];
    out += kLowerHex[byte & 15];
  }
  return out;
}
inline std::string to_hex(std::string_view bytes) {
  return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

// "00000000000000ff": always 16 digits.
inline std::string to_hex(std::uint64_t number) {
  std::string out(16, '0');
  for (std::size_t i = out.size(); number != 0; number >>= 4)
    out[--i] = kLowerHex[number & 15];
  return out;
}

// "%C3" with '%' as its mark, "=C3" with '='.
inline void append_hex_escape(std::string& out, char mark, std::uint8_t byte) {
  out += mark;
  out += kUpperHex[byte >> 4];
  out += kUpperHex[byte & 15];
}

}  // namespace eilbote
