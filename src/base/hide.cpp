#include "base/hide.h"

#include "base/ascii.h"
#include "base/base64.h"

namespace eilbote {

void hide(std::string& text, std::string_view secret) {
  constexpr std::string_view kMask = "***";
  if (secret.empty()) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

void hide_authorization(std::string& text, std::string_view value) {
  constexpr std::size_t kLeast = 8;
  const auto hide_both = [&](std::string_view secret) {
    if (secret.size() < kLeast) return;
    hide(text, secret);
    std::string as_json;
    for (const char c : secret) {
      if (c == '/') as_json += '\\';
      as_json += c;
    }
    hide(text, as_json);
  };
  const std::size_t blank = value.find(' ');
  const std::string_view scheme = value.substr(0, blank == std::string_view::npos ? 0 : blank);
  const std::string_view credentials = value.substr(blank + 1);
  hide_both(credentials);
  if (!same_but_for_case(scheme, "basic")) return;
  const auto login = base64_decode(credentials);
  if (!login) return;
  hide_both(*login);
  hide_both(std::string_view(*login).substr(login->find(':') + 1));
}

}  // namespace eilbote
