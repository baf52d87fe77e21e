#include "transport/amqp_url.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/url_escape.h"
#include "domain/host_name.h"
#include "domain/ip_address.h"

namespace eilbote {
namespace {

constexpr std::string_view kPlain = "amqp://", kWithTls = "amqps://";
constexpr std::uint16_t kPlainPort = 5672, kTlsPort = 5671;
constexpr std::size_t kAmqpUrlBytesMax = 2048;
constexpr std::size_t kShortStringMax = 255;  // AMQP's short strings
constexpr int kHeartbeatLeast = 5, kHeartbeatMost = 300;

tl::unexpected<Error> amqp_fault(std::string what) {
  return fail(ErrorKind::invalid, "the broker's URL: " + std::move(what));
}

// What is before the first (or last) `mark`; the text itself keeps what is behind it. Nothing when there is no mark.
std::optional<std::string_view> cut_front(std::string_view& text, std::size_t at) {
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view front = text.substr(0, at);
  text.remove_prefix(at + 1);
  return front;
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::string> unescaped_part(std::string_view text, std::string_view name) {
  std::optional<std::string> plain = url_unescaped(text);
  if (!plain) return amqp_fault(fmt::format("its {} has a % without two hexadecimal digits behind it", name));
  if (plain->empty() || plain->size() > kShortStringMax || plain->find('\0') != std::string::npos)
    return amqp_fault(
        fmt::format("its {} must have 1 to {} bytes, none of them zero", name, kShortStringMax));
  return *plain;
}

Result<void> read_login(std::string_view text, AmqpUrl& url) {
  std::string_view password = text;
  const auto user = cut_front(password, text.find(':'));
  auto name = unescaped_part(user.value_or(text), "user");
  if (!name) return fail(name.error());
  url.user = std::move(*name);
  if (!user) return {};
  auto word = unescaped_part(password, "password");
  if (!word) return fail(word.error());
  url.password = Secret(std::move(*word));
  return {};
}

Result<void> read_place(std::string_view text, AmqpUrl& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return amqp_fault("its host begins with [ and has no ]");
    url.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return amqp_fault("only :PORT may stand behind its host");
    if (!parse_ip_address(url.host)) return amqp_fault("what its host has in [ ] is no IPv6 address");
  } else {
    url.host = text.substr(0, text.find(':'));
    port = text.substr(url.host.size());
    if (!is_host_name(url.host, "_"))
      return amqp_fault("it needs a host name or an address, as in amqp://user@broker.example:5672/vhost");
  }
  url.port = url.tls ? kTlsPort : kPlainPort;
  if (port.empty()) return {};
  const auto number = whole_number(port.substr(1));
  if (!number || *number < 1 || *number > 65'535) return amqp_fault("its port must be 1 to 65535");
  url.port = static_cast<std::uint16_t>(*number);
  return {};
}

Result<void> read_parameters(std::string_view text, AmqpUrl& url) {
  while (!text.empty()) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end), name = pair.substr(0, pair.find('='));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (name != "heartbeat")
      return amqp_fault(
          fmt::format("it has a parameter '{}'; known is heartbeat (seconds)", name.substr(0, 40)));
    const auto seconds = whole_number(pair.substr(std::min(pair.size(), name.size() + 1)));
    if (!seconds || *seconds < kHeartbeatLeast || *seconds > kHeartbeatMost)
      return amqp_fault(fmt::format("heartbeat must be {} to {} seconds", kHeartbeatLeast, kHeartbeatMost));
    url.heartbeat = std::chrono::seconds{*seconds};
  }
  return {};
}

}  // namespace

std::string AmqpUrl::shown() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}@{}{}{}:{}/{}", tls ? kWithTls : kPlain, url_escaped(user), is_v6 ? "[" : "", host,
                     is_v6 ? "]" : "", port, url_escaped(vhost));
}

bool is_amqp_url(std::string_view url) {
  return url.starts_with(kPlain) || url.starts_with(kWithTls);
}

Result<AmqpUrl> parse_amqp_url(std::string_view text) {
  if (!is_amqp_url(text)) return amqp_fault("it must begin with amqp:// or amqps://");
  if (text.size() > kAmqpUrlBytesMax)
    return amqp_fault(fmt::format("it has more than {} bytes", kAmqpUrlBytesMax));
  if (text.find('#') != std::string_view::npos)
    return amqp_fault("it has a #; write %23 where a part has one");
  AmqpUrl url;
  url.tls = text.starts_with(kWithTls);
  text.remove_prefix(url.tls ? kWithTls.size() : kPlain.size());
  std::string_view parameters = text;
  if (const auto front = cut_front(parameters, text.find('?'))) {
    text = *front;
    if (auto read = read_parameters(parameters, url); !read) return fail(read.error());
  }
  std::string_view vhost = text;
  const auto before_path = cut_front(vhost, text.find('/'));
  std::string_view place = before_path.value_or(text);
  if (const auto login = cut_front(place, place.rfind('@')))
    if (auto read = read_login(*login, url); !read) return fail(read.error());
  if (auto read = read_place(place, url); !read) return fail(read.error());
  if (before_path && !vhost.empty()) {
    if (vhost.find('/') != std::string_view::npos)
      return amqp_fault("its virtual host has a /; write %2F, or nothing for the usual one");
    auto name = unescaped_part(vhost, "virtual host");
    if (!name) return fail(name.error());
    url.vhost = std::move(*name);
  }
  return url;
}

}  // namespace eilbote
