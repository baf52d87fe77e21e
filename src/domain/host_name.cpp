#include "domain/host_name.h"

#include <idn2.h>

#include <memory>

#include "base/ascii.h"

namespace eilbote {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string a_labels(std::string_view name) {
  char* made = nullptr;
  const int rc = idn2_to_ascii_8z(std::string(name).c_str(), &made, IDN2_NONTRANSITIONAL);
  const std::unique_ptr<char, void (*)(void*)> owner(made, idn2_free);
  return rc == IDN2_OK ? ascii_lower(owner.get()) : std::string();
}

bool has_ace_label(std::string_view lower_case_name) {
  return lower_case_name.starts_with("xn--") || lower_case_name.find(".xn--") != std::string_view::npos;
}

bool is_host_name(std::string_view name, std::string_view extra) {
  std::size_t label = 0;
  char last = '.';
  for (const char c : name) {
    if (c == '.') {
      if (label == 0 || last == '-') return false;
      label = 0;
    } else {
      const bool fits = is_letter_or_digit(c) || extra.find(c) != std::string_view::npos;
      if (!fits && (c != '-' || label == 0)) return false;
      if (++label > 63) return false;
    }
    last = c;
  }
  return label > 0 && last != '-';
}

bool last_label_is_number(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view label = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return label.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace eilbote
