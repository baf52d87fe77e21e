#include "domain/outbound_rules.h"

#include <algorithm>
#include <array>
#include <vector>

namespace eilbote {
namespace {

using enum OutboundRule;

struct RangeRow {
  std::string_view range;
  OutboundRule rule;
};

// The first row that fits counts: single addresses before the ranges they lie in.
constexpr std::array kV4Rows{
    // Where clouds hand credentials to whoever asks: AWS, Azure, GCP, DigitalOcean, OpenStack; ECS; EKS; Tencent; Alibaba;
    // Azure's wire server; Oracle.
    RangeRow{"169.254.169.254", metadata},
    RangeRow{"169.254.170.2", metadata},
    RangeRow{"169.254.170.23", metadata},
    RangeRow{"169.254.0.23", metadata},
    RangeRow{"100.100.100.200", metadata},
    RangeRow{"168.63.129.16", metadata},
    RangeRow{"192.0.0.192", metadata},
    RangeRow{"0.0.0.0/8", unspecified},
    RangeRow{"10.0.0.0/8", private_network},
    RangeRow{"100.64.0.0/10", shared_network},
    RangeRow{"127.0.0.0/8", loopback},
    RangeRow{"169.254.0.0/16", link_local},
    RangeRow{"172.16.0.0/12", private_network},
    RangeRow{"192.0.0.0/24", reserved},  // IETF protocol assignments
    RangeRow{"192.0.2.0/24", documentation},
    RangeRow{"192.88.99.0/24", reserved},  // 6to4 relays, withdrawn
    RangeRow{"192.168.0.0/16", private_network},
    RangeRow{"198.18.0.0/15", benchmarking},
    RangeRow{"198.51.100.0/24", documentation},
    RangeRow{"203.0.113.0/24", documentation},
    RangeRow{"224.0.0.0/4", multicast},
    RangeRow{"255.255.255.255", broadcast},
    RangeRow{"240.0.0.0/4", reserved},
};
constexpr std::array kV6Rows{
    RangeRow{"fd00:ec2::254", metadata},  // AWS
    RangeRow{"fd00:ec2::23", metadata},   // EKS
    RangeRow{"fd20:ce::254", metadata},   // GCP
    RangeRow{"::", unspecified},
    RangeRow{"::1", loopback},
    RangeRow{"::/96", ipv4_compatible},
    RangeRow{"64:ff9b:1::/48", nat64_local},
    RangeRow{"2001::/32", teredo},
    RangeRow{"2001:2::/48", benchmarking},
    RangeRow{"2001::/23", reserved},  // IETF protocol assignments
    RangeRow{"2001:db8::/32", documentation},
    RangeRow{"2002::/16", six_to_four},
    RangeRow{"3fff::/20", documentation},
    RangeRow{"fc00::/7", unique_local},
    RangeRow{"fe80::/10", link_local},
    RangeRow{"fec0::/10", site_local},
    RangeRow{"ff00::/8", multicast},
};
// Of all the rest only this was ever given out.
constexpr std::string_view kGlobalUnicast = "2000::/3";
constexpr std::string_view kNat64 = "64:ff9b::/96";

struct Row {
  IpRange range;
  OutboundRule rule;
};
template <std::size_t N>
std::vector<Row> parsed(const std::array<RangeRow, N>& rows) {
  std::vector<Row> all;
  for (const RangeRow& row : rows)
    all.push_back({parse_ip_range(row.range).value(), row.rule});
  return all;
}

std::optional<OutboundRule> first_match(const std::vector<Row>& rows, const IpAddress& address) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Row& one) { return one.range.contains(address); });
  return row == rows.end() ? std::nullopt : std::optional(row->rule);
}

IpAddress last_four_octets(const IpAddress& address) {
  return IpAddress::v4({address.bytes[12], address.bytes[13], address.bytes[14], address.bytes[15]});
}

// What browsers refuse (the Fetch standard's bad ports), and databases, queues and remote desktops.
constexpr std::array<std::uint16_t, 98> kBlockedPorts{
    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,    22,    23,    25,   37,   42,   43,   53,
    69,   77,   79,   87,   95,   101,  102,  103,  104,  109,   110,   111,   113,  115,  117,  119,  123,
    135,  137,  139,  143,  161,  179,  389,  427,  445,  465,   512,   513,   514,  515,  526,  530,  531,
    532,  540,  548,  554,  556,  563,  587,  601,  636,  989,   990,   993,   995,  1433, 1521, 1719, 1720,
    1723, 2049, 3306, 3389, 3659, 4045, 4190, 4369, 5060, 5061,  5432,  5671,  5672, 5900, 6000, 6379, 6566,
    6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 10080, 11211, 25672, 27017};
static_assert(std::is_sorted(kBlockedPorts.begin(), kBlockedPorts.end()));

struct TextRow {
  OutboundRule rule;
  std::string_view text;
};
constexpr std::array kTexts{
    TextRow{unspecified, "the unspecified address"},
    TextRow{loopback, "a loopback address"},
    TextRow{private_network, "an address of a private network"},
    TextRow{shared_network, "a shared address (carrier-grade NAT)"},
    TextRow{link_local, "a link-local address"},
    TextRow{metadata, "a metadata service of a cloud"},
    TextRow{unique_local, "a unique local address (a private IPv6 network)"},
    TextRow{site_local, "a site-local address"},
    TextRow{multicast, "a multicast address"},
    TextRow{broadcast, "the broadcast address"},
    TextRow{documentation, "an address for documentation"},
    TextRow{benchmarking, "an address for benchmarks"},
    TextRow{reserved, "a reserved address"},
    TextRow{ipv4_compatible, "an IPv4-compatible IPv6 address"},
    TextRow{nat64_local, "a local NAT64 address"},
    TextRow{six_to_four, "a 6to4 address"},
    TextRow{teredo, "a Teredo address"},
    TextRow{blocked_port, "a port that belongs to another protocol than HTTP"},
    TextRow{own_listener, "a listener of Eilbote itself"},
};
constexpr bool in_order() {
  for (std::size_t i = 0; i < kTexts.size(); ++i)
    if (static_cast<std::size_t>(kTexts[i].rule) != i) return false;
  return true;
}
static_assert(in_order() && kTexts.size() == kOutboundRuleNames.entries.size());

}  // namespace

std::string_view outbound_rule_text(OutboundRule rule) {
  return kTexts[static_cast<std::size_t>(rule)].text;
}

std::optional<OutboundRule> address_rule(const IpAddress& address) {
  static const std::vector<Row> v4 = parsed(kV4Rows), v6 = parsed(kV6Rows);
  static const IpRange global_unicast = parse_ip_range(kGlobalUnicast).value();
  static const IpRange nat64 = parse_ip_range(kNat64).value();
  if (address.is_v4()) return first_match(v4, address);
  if (nat64.contains(address)) return first_match(v4, last_four_octets(address));
  if (const auto rule = first_match(v6, address)) return rule;
  return global_unicast.contains(address) ? std::nullopt : std::optional(reserved);
}

bool is_blocked_port(std::uint16_t port) {
  return std::binary_search(kBlockedPorts.begin(), kBlockedPorts.end(), port);
}

}  // namespace eilbote
