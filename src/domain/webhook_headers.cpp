#include "domain/webhook_headers.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace eilbote {
namespace {

constexpr std::array<std::string_view, 12> kProtected{
    "host",           "authorization", "connection", "transfer-encoding", "te",        "trailer", "upgrade",
    "http2-settings", "keep-alive",    "expect",     "traceparent",       "tracestate"};
constexpr std::array<std::string_view, 5> kProtectedFamilies{"content-", "proxy-", "webhook-", "svix-",
                                                             "x-flowcatalyst-"};

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && is_blank(rest.front()))
    rest.remove_prefix(1);
}

std::string_view take_token(std::string_view& rest) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_token_char);
  const std::string_view token = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(token.size());
  return token;
}

bool take_quoted(std::string_view& rest) {
  if (!rest.starts_with('"')) return false;
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

}  // namespace

bool is_http_header_name(std::string_view name) {
  return name.size() <= kWebhookHeaderNameMax && is_token(name);
}

bool is_http_header_value(std::string_view value) {
  if (value.empty()) return true;
  return !is_blank(value.front()) && !is_blank(value.back()) &&
         std::all_of(value.begin(), value.end(), [](char c) { return c == '\t' || is_printable(c); });
}

bool is_protected_header(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return std::find(kProtected.begin(), kProtected.end(), lower) != kProtected.end() ||
         std::any_of(kProtectedFamilies.begin(), kProtectedFamilies.end(),
                     [&](std::string_view family) { return lower.starts_with(family); });
}

bool is_media_type(std::string_view text) {
  if (text.size() > 255 || !is_http_header_value(text)) return false;
  if (take_token(text).empty() || !text.starts_with('/')) return false;
  text.remove_prefix(1);
  if (take_token(text).empty()) return false;
  while (!text.empty()) {
    skip_blanks(text);
    if (!text.starts_with(';')) return false;
    text.remove_prefix(1);
    skip_blanks(text);
    if (take_token(text).empty() || !text.starts_with('=')) return false;
    text.remove_prefix(1);
    if (!take_quoted(text) && take_token(text).empty()) return false;
  }
  return true;
}

bool is_json_media_type(std::string_view text) {
  const std::string type = ascii_lower(text.substr(0, text.find_first_of("; \t")));
  return type == "application/json" || type.ends_with("+json");
}

}  // namespace eilbote
