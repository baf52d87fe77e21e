#include "base/hide.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/base64.h"

namespace eilbote {
namespace {

constexpr std::string_view kMask = "***";

// How many bytes at `at` stand for `c` inside a JSON string: an escape (`\/`, `\u003d`) or the character itself; 0: none.
std::size_t spelt(std::string_view text, std::size_t at, char c) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with('\\') && rest.size() > 1) {
    if (rest[1] == c) return 2;
    if (same_but_for_case(rest.substr(0, 6), fmt::format("\\u{:04x}", static_cast<unsigned char>(c))))
      return 6;
  }
  return rest.starts_with(c) ? 1 : 0;
}

// How many bytes at `at` are the secret, however each character of it is written; 0: it is not there.
std::size_t spelt(std::string_view text, std::size_t at, std::string_view secret) {
  const std::size_t from = at;
  for (const char c : secret) {
    const std::size_t bytes = at < text.size() ? spelt(text, at, c) : 0;
    if (bytes == 0) return 0;
    at += bytes;
  }
  return at - from;
}

void hide_escaped(std::string& text, std::string_view secret) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (const std::size_t bytes = spelt(text, at, secret); bytes > 0) {
      text.replace(at, bytes, kMask);
      at += kMask.size() - 1;
    }
}

}  // namespace

void hide(std::string& text, std::string_view secret) {
  if (secret.empty()) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

void hide_authorization(std::string& text, std::string_view value) {
  constexpr std::size_t kLeast = 8;
  const auto hide_both = [&](std::string_view secret) {
    if (secret.size() < kLeast) return;
    hide(text, secret);
    hide_escaped(text, secret);
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
