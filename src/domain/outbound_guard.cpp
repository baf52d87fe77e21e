#include "domain/outbound_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "domain/host_name.h"

namespace eilbote {
namespace {

constexpr std::size_t kEntriesMax = 1000;

tl::unexpected<Error> wrong(std::size_t number, std::string_view what) {
  return fail(ErrorKind::invalid,
              fmt::format("entry {} {}; right are 10.0.0.0/8, 192.168.1.7, fd00::/8, hooks.example.org and "
                          "*.example.org, each with :PORT behind it or without, and IPv6 with a port as "
                          "[fd00::/8]:8443",
                          number, what));
}

// An entry in two: what it names, and its port. IPv6 has colons of its own, so it stands in brackets where a port follows.
struct Halves {
  std::string_view target, port;
  bool has_port = false;
};
Halves halves_of(std::string_view entry) {
  if (entry.starts_with('[')) {
    const std::size_t close = entry.find(']');
    if (close == std::string_view::npos) return {entry, {}, false};
    const std::string_view after = entry.substr(close + 1);
    if (!after.empty() && after.front() != ':') return {entry, {}, false};
    return {entry.substr(1, close - 1), after.empty() ? after : after.substr(1), !after.empty()};
  }
  const std::size_t colon = entry.find(':');
  if (colon == std::string_view::npos || entry.find(':', colon + 1) != std::string_view::npos)
    return {entry, {}, false};
  return {entry.substr(0, colon), entry.substr(colon + 1), true};
}

std::optional<std::uint16_t> port_of(std::string_view digits) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  const bool is_whole = error == std::errc{} && end == digits.data() + digits.size();
  if (!is_whole || port == 0 || port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

// Empty: it is no name.
std::string host_of(std::string_view target) {
  const bool all_below = target.starts_with("*.");
  if (all_below) target.remove_prefix(2);
  if (target.ends_with('.')) target.remove_suffix(1);
  std::string name = ascii_lower(target);
  if (!is_ascii(name) || has_ace_label(name)) name = a_labels(target);
  if (!is_host_name(name, "_") || last_label_is_number(name)) return {};
  return all_below ? "." + name : name;
}

Result<OutboundAllow> parse_entry(std::string_view entry, std::size_t number) {
  OutboundAllow allow;
  const Halves halves = halves_of(entry);
  if (halves.has_port) {
    allow.port = port_of(halves.port);
    if (!allow.port) return wrong(number, "needs a port from 1 to 65535 after the colon");
  }
  allow.range = parse_ip_range(halves.target);
  if (allow.range) return allow;
  if (halves.target.find('/') != std::string_view::npos)
    return wrong(number, "needs a range whose address has no bits beyond its length");
  allow.host = host_of(halves.target);
  if (allow.host.empty()) return wrong(number, "is neither a range of addresses nor a host");
  return allow;
}

bool is_meant_by(const OutboundAllow& allow, std::string_view host, const IpAddress& address,
                 std::uint16_t port) {
  if (allow.port && *allow.port != port) return false;
  if (allow.range) return allow.range->contains(address);
  return allow.host.starts_with('.') ? host.ends_with(allow.host) : host == allow.host;
}

}  // namespace

Result<std::vector<OutboundAllow>> parse_outbound_allow(std::string_view text) {
  std::vector<OutboundAllow> all;
  if (trimmed(text).empty()) return all;
  for (std::size_t number = 1;; ++number) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto entry = parse_entry(trimmed(text.substr(0, comma)), number);
    if (!entry) return fail(entry.error());
    all.push_back(std::move(*entry));
    if (comma == text.size()) return all;
    if (all.size() == kEntriesMax)
      return fail(ErrorKind::invalid, fmt::format("may have at most {} entries", kEntriesMax));
    text.remove_prefix(comma + 1);
  }
}

std::optional<OutboundRule> OutboundGuard::check(std::string_view host, const IpAddress& address,
                                                 std::uint16_t port) const {
  bool opens_address = false, opens_port = false, opens_metadata = false;
  for (const OutboundAllow& allow : allow_) {
    if (!is_meant_by(allow, host, address, port)) continue;
    opens_address = true;
    opens_port |= allow.port.has_value();
    opens_metadata |= allow.range && allow.range->is_one_address();
  }
  const auto rule = address_rule(address);
  if (rule && !(rule == OutboundRule::metadata ? opens_metadata : opens_address)) return rule;
  if (is_blocked_port(port) && !opens_port) return OutboundRule::blocked_port;
  return std::nullopt;
}

bool OutboundGuard::forbids_port(std::uint16_t port) const {
  return is_blocked_port(port) && std::none_of(allow_.begin(), allow_.end(),
                                               [port](const OutboundAllow& one) { return one.port == port; });
}

bool leads_to(const OwnListener& listener, const IpAddress& address, std::uint16_t port,
              std::span<const IpAddress> local) {
  if (port != listener.port) return false;
  const auto is = [](const IpAddress& one, OutboundRule rule) { return address_rule(one) == rule; };
  // A connection to the unspecified address goes to this machine's loopback.
  if (address == listener.address || is(address, OutboundRule::unspecified)) return true;
  const bool is_wildcard = is(listener.address, OutboundRule::unspecified);
  const bool is_loopback = is(listener.address, OutboundRule::loopback);
  if (!is_wildcard && !is_loopback) return false;
  if (is(address, OutboundRule::loopback)) return true;
  return is_wildcard && std::find(local.begin(), local.end(), address) != local.end();
}

}  // namespace eilbote
