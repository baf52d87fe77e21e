// Network addresses and ranges of them, without I/O. The outbound guard judges by them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace eilbote {

// An IPv4 address is kept in its mapped form, ::ffff:a.b.c.d: both spellings are the same address, as they are to the kernel.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};

  static IpAddress v4(const std::array<std::uint8_t, 4>& octets);
  bool is_v4() const;
  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

// "192.0.2.1", "2001:db8::1", "[2001:db8::1]"; IPv4 as four plain decimal numbers, IPv6 without a zone.
std::optional<IpAddress> parse_ip_address(std::string_view text);

struct IpRange {
  IpAddress first;
  int bits = 128;  // of the 128; an IPv4 /8 is 104

  bool contains(const IpAddress& address) const;
  bool is_one_address() const { return bits == 128; }
  friend bool operator==(const IpRange&, const IpRange&) = default;
};

// "10.0.0.0/8", "fd00::/8", or an address alone. Bits beyond the prefix must be zero: what was meant is not guessed.
std::optional<IpRange> parse_ip_range(std::string_view text);

}  // namespace eilbote
