#include "domain/mail_syntax.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "domain/mail_limits.h"

namespace eilbote {
namespace {

constexpr std::array<std::string_view, 13> kEngineHeaders{
    "bcc",      "cc",       "date",        "dkim-signature", "from",    "message-id", "mime-version",
    "received", "reply-to", "return-path", "sender",         "subject", "to"};

constexpr std::array<std::string_view, 12> kVerbatimHeaders{
    "archived-at",       "authentication-results",
    "auto-submitted",    "disposition-notification-to",
    "errors-to",         "feedback-id",
    "in-reply-to",       "original-message-id",
    "precedence",        "references",
    "return-receipt-to", "x-priority"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_token_char(char c) {
  return c > 0x20 && c < 0x7F && std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
}

// Takes a token off the front of `rest`; empty when there is none.
std::string_view take_token(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && is_token_char(rest[n]))
    ++n;
  const std::string_view token = rest.substr(0, n);
  rest.remove_prefix(n);
  return token;
}

// Takes a quoted string off the front of `rest`; false when there is none.
bool take_quoted(std::string_view& rest) {
  if (rest.empty() || rest.front() != '"') return false;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && rest.front() == ' ')
    rest.remove_prefix(1);
}

// `; name=value` repeated to the end.
bool are_parameters(std::string_view rest) {
  while (true) {
    skip_blanks(rest);
    if (rest.empty()) return true;
    if (rest.front() != ';') return false;
    rest.remove_prefix(1);
    skip_blanks(rest);
    if (take_token(rest).empty() || rest.empty() || rest.front() != '=') return false;
    rest.remove_prefix(1);
    if (!take_quoted(rest) && take_token(rest).empty()) return false;
  }
}

}  // namespace

bool is_header_name(std::string_view name) {
  return !name.empty() && name.size() <= kHeaderNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > 0x20 && c < 0x7F && c != ':'; });
}

bool is_engine_header(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return lower.starts_with("content-") || lower.starts_with("resent-") || contains(kEngineHeaders, lower);
}

bool is_verbatim_header(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return lower.starts_with("list-") || lower.starts_with("arc-") || contains(kVerbatimHeaders, lower);
}

std::size_t longest_stretch(std::string_view text) {
  std::size_t longest = 0;
  std::size_t current = 0;
  char before = ' ';
  for (const char c : text) {
    if (c == ' ' && before != ' ') current = 0;
    longest = std::max(longest, ++current);
    before = c;
  }
  return longest;
}

bool is_content_type(std::string_view text) {
  if (text.size() > 255 || !is_printable_ascii(text)) return false;
  const std::string type = ascii_lower(take_token(text));
  if (type.empty() || type == "multipart" || type == "message") return false;
  if (text.empty() || text.front() != '/') return false;
  text.remove_prefix(1);
  return !take_token(text).empty() && are_parameters(text);
}

bool is_content_id(std::string_view text) {
  if (text.empty() || text.size() > kContentIdMax || std::count(text.begin(), text.end(), '@') > 1)
    return false;
  if (text.front() == '@' || text.back() == '@') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("()<>,;:\\\"[]").find(c) == std::string_view::npos;
  });
}

}  // namespace eilbote
