#include "api/text_pattern.h"

#include <fmt/format.h>

#include <boost/regex.hpp>

#include "base/utf8.h"

namespace eilbote {
namespace {

constexpr std::size_t kPatternMax = 1'000;
// As in ECMAScript a dot is no line break, and ^ and $ are the ends of the whole text.
constexpr auto kSyntax =
    boost::regex_constants::ECMAScript | boost::regex_constants::no_mod_m | boost::regex_constants::no_mod_s;

// One wide character per code point; the text is well-formed UTF-8.
std::wstring widened(std::string_view text) {
  std::wstring wide;
  wide.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    unsigned code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k)
      code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    wide += static_cast<wchar_t>(code);
    i += length;
  }
  return wide;
}

}  // namespace

struct TextPattern::Machine {
  boost::wregex regex;
};

Result<TextPattern> TextPattern::make(std::string_view pattern) {
  if (!is_utf8(pattern)) return fail(ErrorKind::invalid, "must be valid UTF-8");
  if (utf8_length(pattern) > kPatternMax)
    return fail(ErrorKind::invalid, fmt::format("must be at most {} characters long", kPatternMax));
  try {
    auto machine = std::make_shared<Machine>();
    machine->regex.assign(widened(pattern), kSyntax);
    return TextPattern(std::move(machine));
  } catch (const std::exception&) {
    return fail(ErrorKind::invalid, "must be a regular expression as in ECMAScript (without \\p and \\u)");
  }
}

TextPattern::Found TextPattern::search(std::string_view text) const {
  if (!is_utf8(text)) return Found::no;
  try {
    return boost::regex_search(widened(text), machine_->regex) ? Found::yes : Found::no;
  } catch (const std::exception&) {
    return Found::too_complex;
  }
}

}  // namespace eilbote
