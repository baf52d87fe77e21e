#include "base/base64url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/base64.h"

namespace eilbote {
namespace {

constexpr std::array<std::int8_t, 256> make_digits() {
  std::array<std::int8_t, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  return digits;
}
constexpr auto kDigits = make_digits();

Error bad_character(char c, std::size_t at) {
  if (c == '+' || c == '/')
    return {
        ErrorKind::invalid,
        fmt::format("must be Base64URL: '{}' at offset {} is plain Base64; write '-' for '+' and '_' for '/'",
                    c, at)};
  return {ErrorKind::invalid,
          fmt::format("must be Base64URL (A-Z a-z 0-9 - _): wrong character at offset {}", at)};
}

}  // namespace

Result<std::string> decode_base64url(std::string_view text) {
  std::size_t padding = 0;
  std::string_view digits = text;
  while (!digits.empty() && digits.back() == '=' && padding < 2) {
    digits.remove_suffix(1);
    ++padding;
  }
  std::string out;
  out.reserve(digits.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int digit = kDigits[static_cast<unsigned char>(digits[i])];
    if (digit < 0) return fail(bad_character(digits[i], i));
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++count < 4) continue;
    out += static_cast<char>(bits >> 16);
    out += static_cast<char>(bits >> 8);
    out += static_cast<char>(bits);
    bits = 0;
    count = 0;
  }
  const bool length_fits =
      count != 1 && (padding == 0 || (count != 0 && count + static_cast<int>(padding) == 4));
  if (!length_fits) return fail(ErrorKind::invalid, "must be Base64URL: its length or padding does not fit");
  if (count == 2) {
    if ((bits & 0xF) != 0)
      return fail(ErrorKind::invalid, "must be Base64URL: its last character has stray bits");
    out += static_cast<char>(bits >> 4);
  } else if (count == 3) {
    if ((bits & 0x3) != 0)
      return fail(ErrorKind::invalid, "must be Base64URL: its last character has stray bits");
    out += static_cast<char>(bits >> 10);
    out += static_cast<char>(bits >> 2);
  }
  return out;
}

std::string encode_base64url(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  while (text.ends_with('='))
    text.pop_back();
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

}  // namespace eilbote
