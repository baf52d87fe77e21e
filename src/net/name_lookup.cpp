#include "net/name_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

namespace eilbote {
namespace {

Addresses in_turn(const Addresses& v6, const Addresses& v4) {
  Addresses all;
  for (std::size_t i = 0; i < std::max(v6.size(), v4.size()); ++i) {
    if (i < v6.size()) all.push_back(v6[i]);
    if (i < v4.size()) all.push_back(v4[i]);
  }
  return all;
}

}  // namespace

tl::expected<Addresses, LookupFault> look_up_name(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  // A machine with nothing but the loopback has no "configured" address, and its names are still names.
  if (code != 0) {
    hints.ai_flags = 0;
    code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  }
  if (code != 0) {
    LookupFault fault;
    fault.is_unknown_name = code == EAI_NONAME || code == EAI_NODATA;
    fault.text = code == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(code);
    return tl::unexpected(std::move(fault));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, &::freeaddrinfo);
  Addresses v6, v4;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    boost::asio::ip::tcp::endpoint endpoint;
    if (one->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
    if (one->ai_family == AF_INET6) v6.push_back(endpoint.address());
    if (one->ai_family == AF_INET) v4.push_back(endpoint.address());
  }
  return in_turn(v6, v4);
}

}  // namespace eilbote
