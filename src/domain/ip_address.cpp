#include "domain/ip_address.h"

#include <arpa/inet.h>
#include <endian.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace eilbote {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kMappedBits = 96;

bool bit_is_set(const IpAddress& address, int bit) {
  return (address.bytes[static_cast<std::size_t>(bit / 8)] & (0x80U >> (bit % 8))) != 0;
}

// Whether two addresses have the first `bits` of the eight bytes from `from` on in common.
bool same_start(const IpAddress& one, const IpAddress& other, std::size_t from, int bits) {
  if (bits <= 0) return true;
  std::uint64_t its = 0, others = 0;
  std::memcpy(&its, &one.bytes[from], sizeof its);
  std::memcpy(&others, &other.bytes[from], sizeof others);
  return be64toh(its ^ others) >> (64 - bits) == 0;
}

}  // namespace

IpAddress IpAddress::v4(const std::array<std::uint8_t, 4>& octets) {
  IpAddress address;
  std::copy(kMapped.begin(), kMapped.end(), address.bytes.begin());
  std::copy(octets.begin(), octets.end(), address.bytes.begin() + kMapped.size());
  return address;
}

bool IpAddress::is_v4() const {
  return std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
    if (text.find(':') == std::string_view::npos) return std::nullopt;
  }
  if (text.empty() || text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos)
    return std::nullopt;
  const std::string terminated(text);
  std::array<std::uint8_t, 4> octets{};
  if (inet_pton(AF_INET, terminated.c_str(), octets.data()) == 1) return IpAddress::v4(octets);
  IpAddress address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

bool IpRange::contains(const IpAddress& address) const {
  if (bits < kMappedBits && address.is_v4()) return false;  // ::/0 is all of IPv6, and nothing else
  return same_start(first, address, 0, std::min(bits, 64)) && same_start(first, address, 8, bits - 64);
}

std::optional<IpRange> parse_ip_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto first = parse_ip_address(text.substr(0, slash));
  if (!first) return std::nullopt;
  IpRange range{*first, 128};
  if (slash == std::string_view::npos) return range;
  const std::string_view digits = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), range.bits);
  // By its spelling: ::ffff:10.0.0.0/104 counts from the left of all 128 bits.
  const bool is_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
  if (error != std::errc{} || end != digits.data() + digits.size() || range.bits < 0 ||
      range.bits > (is_v4 ? 32 : 128))
    return std::nullopt;
  if (is_v4) range.bits += kMappedBits;
  for (int bit = range.bits; bit < 128; ++bit)
    if (bit_is_set(range.first, bit)) return std::nullopt;
  return range;
}

}  // namespace eilbote
