#include "domain/fault.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"

namespace eilbote {

std::string pointer_step(std::string_view name, std::size_t characters_max) {
  std::string step;
  for (const char c : utf8_prefix(name, characters_max)) {
    if (c == '~')
      step += "~0";
    else if (c == '/')
      step += "~1";
    else
      step += c;
  }
  return step;
}

bool Faults::refused(std::string_view pointer, std::string detail) {
  fault(std::string(pointer), std::move(detail));
  return false;
}

bool Faults::plain(std::string_view text, std::string_view pointer) {
  if (!is_utf8(text)) return refused(pointer, "must be valid UTF-8");
  if (has_control(text)) return refused(pointer, "must not contain line breaks or other control characters");
  return true;
}

bool Faults::storable(std::string_view text, std::string_view pointer) {
  if (!is_utf8(text)) return refused(pointer, "must be valid UTF-8");
  if (text.find('\0') != std::string_view::npos) return refused(pointer, "must not contain U+0000");
  return true;
}

bool Faults::line(std::string_view text, std::string_view pointer, std::size_t characters_max,
                  std::size_t characters_min) {
  if (!plain(text, pointer)) return false;
  if (characters_min == 0 && text.size() <= characters_max) return true;  // as almost all are: not counted
  const std::size_t length = utf8_length(text);
  if (length >= characters_min && length <= characters_max) return true;
  return refused(pointer,
                 characters_min == 0
                     ? fmt::format("must be at most {} characters long", characters_max)
                     : fmt::format("must be {} to {} characters long", characters_min, characters_max));
}

bool Faults::line_in_bytes(std::string_view text, std::string_view pointer, std::size_t bytes_max) {
  if (!plain(text, pointer)) return false;
  return text.size() <= bytes_max ||
         refused(pointer, fmt::format("must be at most {} bytes long", bytes_max));
}

bool Faults::count(std::size_t entries, std::size_t max, std::string_view pointer) {
  return entries <= max || refused(pointer, fmt::format("may have at most {} entries", max));
}

bool Faults::range(int value, int min, int max, std::string_view pointer) {
  return (value >= min && value <= max) ||
         refused(pointer, fmt::format("must be a whole number from {} to {}", min, max));
}

}  // namespace eilbote
