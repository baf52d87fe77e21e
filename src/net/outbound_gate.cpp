#include "net/outbound_gate.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace eilbote {
namespace {

IpAddress plain(const boost::asio::ip::address& address) {
  if (address.is_v4()) return IpAddress::v4(address.to_v4().to_bytes());
  return IpAddress{address.to_v6().to_bytes()};
}

// Asked anew each time: an interface may come while the server runs. Only needed for targets with our own port.
std::vector<IpAddress> local_addresses() {
  ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(found, &::freeifaddrs);
  std::vector<IpAddress> all;
  for (const ifaddrs* one = found; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (one->ifa_addr->sa_family == AF_INET) {
      std::array<std::uint8_t, 4> octets{};
      std::memcpy(octets.data(), &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, 4);
      all.push_back(IpAddress::v4(octets));
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      IpAddress address;
      std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr, 16);
      all.push_back(address);
    }
  }
  return all;
}

}  // namespace

void OutboundGate::add_own(const std::string& host, std::uint16_t port) {
  const auto address = parse_ip_address(host);
  if (!address || port == 0) return;
  const MutexLock lock(mutex_);
  own_.push_back({*address, port});
}

bool OutboundGate::is_own(const IpAddress& address, std::uint16_t port) const {
  const MutexLock lock(mutex_);
  const auto has_port = [port](const OwnListener& one) { return one.port == port; };
  if (std::none_of(own_.begin(), own_.end(), has_port)) return false;
  const std::vector<IpAddress> local = local_addresses();
  return std::any_of(own_.begin(), own_.end(),
                     [&](const OwnListener& one) { return leads_to(one, address, port, local); });
}

std::optional<OutboundRule> OutboundGate::check(const std::string& host,
                                                const boost::asio::ip::address& address,
                                                std::uint16_t port) const {
  const IpAddress one = plain(address);
  if (is_own(one, port)) return OutboundRule::own_listener;
  return guard_.check(host, one, port);
}

std::optional<OutboundRule> forbidden_by(const OutboundForbids& forbids, const std::string& host,
                                         const Addresses& addresses, std::uint16_t port) {
  if (!forbids) return std::nullopt;
  for (const auto& address : addresses)
    if (const auto rule = forbids(host, address, port)) return rule;
  if (!addresses.empty()) return std::nullopt;
  boost::system::error_code is_none;
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  const auto address =
      boost::asio::ip::make_address(has_brackets ? host.substr(1, host.size() - 2) : host, is_none);
  // What is said to be an address and is none leads nowhere that was checked.
  return is_none ? std::optional(OutboundRule::reserved) : forbids(host, address, port);
}

}  // namespace eilbote
