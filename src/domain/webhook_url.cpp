#include "domain/webhook_url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "domain/host_name.h"

namespace eilbote {
namespace {

constexpr std::size_t kHostMax = 253;
constexpr std::uint16_t kHttp = 80, kHttps = 443;

tl::unexpected<Error> wrong(std::string what) {
  return fail(ErrorKind::invalid, std::move(what));
}

// The scheme's length with its "://"; 0 when it is none of ours.
std::size_t read_scheme(std::string_view text, WebhookUrl& url) {
  const std::string start = ascii_lower(text.substr(0, 8));
  url.is_https = start.starts_with("https://");
  url.port = url.is_https ? kHttps : kHttp;
  if (url.is_https) return 8;
  return start.starts_with("http://") ? 7 : 0;
}

Result<void> read_port(std::string_view digits, WebhookUrl& url) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_number = !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
  if (!is_number || port == 0 || port > 65535)
    return wrong("needs a port from 1 to 65535 after the colon, or no colon");
  url.port = static_cast<std::uint16_t>(port);
  return {};
}

// Shortest spelling, so that one address has one name.
Result<void> read_ipv6(std::string_view inner, WebhookUrl& url) {
  std::array<unsigned char, 16> bytes{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inner.size() >= INET6_ADDRSTRLEN ||
      inet_pton(AF_INET6, std::string(inner).c_str(), bytes.data()) != 1 ||
      inet_ntop(AF_INET6, bytes.data(), text.data(), text.size()) == nullptr)
    return wrong("needs an IPv6 address between the brackets, like https://[2001:db8::1]/, without a zone");
  url.host = fmt::format("[{}]", text.data());
  url.host_is_address = true;
  return {};
}

// What browsers and resolvers would read as an IPv4 address: the last label is a number, in any notation.
bool looks_like_ipv4(std::string_view host) {
  if (last_label_is_number(host)) return true;
  const std::size_t dot = host.rfind('.');
  const std::string_view label = dot == std::string_view::npos ? host : host.substr(dot + 1);
  return label.starts_with("0x") && std::all_of(label.begin() + 2, label.end(), is_hex);
}

Result<void> read_ipv4(WebhookUrl& url) {
  std::array<unsigned char, 4> bytes{};
  if (inet_pton(AF_INET, url.host.c_str(), bytes.data()) != 1)
    return wrong("needs an IPv4 address of four plain decimal numbers, like 192.0.2.1, or a host name");
  url.host_is_address = true;
  return {};
}

Result<void> read_host(std::string_view host, WebhookUrl& url) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return wrong("needs a host, like https://example.org/hook");
  url.host = ascii_lower(host);
  if (has_ace_label(url.host) || !is_ascii(url.host)) {
    url.host = a_labels(host);
    if (url.host.empty()) return wrong("has a host that is no valid internationalised name (IDNA2008)");
  }
  if (url.host.size() > kHostMax) return wrong("has a host longer than 253 octets");
  // Names inside a network are often spelt with an underscore.
  if (!is_host_name(url.host, "_"))
    return wrong(
        "needs a host of letters, digits and inner hyphens, parted by single dots, 63 octets per label");
  return looks_like_ipv4(url.host) ? read_ipv4(url) : Result<void>{};
}

Result<void> read_authority(std::string_view authority, WebhookUrl& url) {
  if (authority.find('@') != std::string_view::npos)
    return wrong("must not carry a user name or password; name a service account instead");
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    const std::string_view after =
        close == std::string_view::npos ? std::string_view("?") : authority.substr(close + 1);
    if (!after.empty() && after.front() != ':')
      return wrong("needs the IPv6 address in brackets, then a colon and a port or nothing");
    if (auto read = read_ipv6(authority.substr(1, close - 1), url); !read) return read;
    return after.empty() ? Result<void>{} : read_port(after.substr(1), url);
  }
  const std::size_t colon = authority.find(':');
  if (colon != std::string_view::npos && authority.find(':', colon + 1) != std::string_view::npos)
    return wrong("needs an IPv6 address in brackets, like https://[2001:db8::1]/");
  if (auto read = read_host(authority.substr(0, colon), url); !read) return read;
  return colon == std::string_view::npos ? Result<void>{} : read_port(authority.substr(colon + 1), url);
}

Result<void> read_path(std::string_view text, WebhookUrl& url) {
  if (!is_ascii(text))
    return wrong("must be ASCII after the host; write other characters percent-encoded, like %C3%A4");
  if (text.find_first_of("\"<>^`{|}") != std::string_view::npos)
    return wrong("must have \" < > ^ ` { | } percent-encoded");
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1))
    if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))
      return wrong("has a % that is not followed by two hexadecimal digits; a plain % is written %25");
  url.path_and_query = text.starts_with('/') ? std::string(text) : "/" + std::string(text);
  return {};
}

}  // namespace

std::string WebhookUrl::route() const {
  return port == (is_https ? kHttps : kHttp) ? host : host + ":" + std::to_string(port);
}

std::string WebhookUrl::text() const {
  return (is_https ? "https://" : "http://") + route() + path_and_query;
}

Result<WebhookUrl> parse_webhook_url(std::string_view text) {
  if (text.empty()) return wrong("must be an http or https URL, like https://example.org/hook");
  if (text.size() > kWebhookUrlMax)
    return wrong(fmt::format("must be at most {} bytes long", kWebhookUrlMax));
  if (!is_utf8(text)) return wrong("must be valid UTF-8");
  if (std::ranges::any_of(text, [](char c) { return is_control(c) || c == ' ' || c == '\\'; }))
    return wrong("must not contain blanks, backslashes, line breaks or other control characters");
  if (text.find('#') != std::string_view::npos)
    return wrong("must not have a fragment (#...): it is never sent; a # in a path is written %23");
  WebhookUrl url;
  const std::size_t scheme = read_scheme(text, url);
  if (scheme == 0) return wrong("must begin with https:// or http://");
  const std::size_t end = std::min(text.find_first_of("/?", scheme), text.size());
  if (auto read = read_authority(text.substr(scheme, end - scheme), url); !read) return fail(read.error());
  if (auto read = read_path(text.substr(end), url); !read) return fail(read.error());
  return url;
}

}  // namespace eilbote
