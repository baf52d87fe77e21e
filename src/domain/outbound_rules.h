// Where a request that a client asked for must not go, by address and port alone. Pure tables; domain/outbound_guard adds what an
// operator allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/enum_names.h"
#include "domain/ip_address.h"

namespace eilbote {

enum class OutboundRule {
  unspecified,
  loopback,
  private_network,
  shared_network,
  link_local,
  metadata,
  unique_local,
  site_local,
  multicast,
  broadcast,
  documentation,
  benchmarking,
  reserved,
  ipv4_compatible,
  nat64_local,
  six_to_four,
  teredo,
  blocked_port,
  own_listener,
};
// The names in metrics and tests.
inline constexpr auto kOutboundRuleNames =
    enum_names<OutboundRule>({{OutboundRule::unspecified, "unspecified"},
                              {OutboundRule::loopback, "loopback"},
                              {OutboundRule::private_network, "private"},
                              {OutboundRule::shared_network, "shared"},
                              {OutboundRule::link_local, "link-local"},
                              {OutboundRule::metadata, "metadata"},
                              {OutboundRule::unique_local, "unique-local"},
                              {OutboundRule::site_local, "site-local"},
                              {OutboundRule::multicast, "multicast"},
                              {OutboundRule::broadcast, "broadcast"},
                              {OutboundRule::documentation, "documentation"},
                              {OutboundRule::benchmarking, "benchmarking"},
                              {OutboundRule::reserved, "reserved"},
                              {OutboundRule::ipv4_compatible, "ipv4-compatible"},
                              {OutboundRule::nat64_local, "nat64-local"},
                              {OutboundRule::six_to_four, "6to4"},
                              {OutboundRule::teredo, "teredo"},
                              {OutboundRule::blocked_port, "blocked-port"},
                              {OutboundRule::own_listener, "own-listener"}});
static_assert(kOutboundRuleNames.complete());

// What the target is, for people: "a loopback address". Never the address: whoever named a host may not learn what it resolves
// to inside.
std::string_view outbound_rule_text(OutboundRule rule);

// Absent: an address of the open internet. An address that carries an IPv4 address (mapped, NAT64) is judged by that one.
std::optional<OutboundRule> address_rule(const IpAddress& address);

// Ports where something other than HTTP listens: a request there can be read as commands by another protocol.
bool is_blocked_port(std::uint16_t port);

}  // namespace eilbote
