// The outbound guard as this process applies it: the operator's allow-list, and the listeners of its own that are never a target.
// Safe from every thread. The composition root makes one; the HTTP client asks it for every connection, the API for every job.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "domain/outbound_guard.h"
#include "net/name_lookup.h"

namespace eilbote {

// Why this must not be connected to; absent: it may be.
using OutboundForbids = std::function<std::optional<OutboundRule>(
    const std::string& host, const boost::asio::ip::address& address, std::uint16_t port)>;

class OutboundGate {
 public:
  explicit OutboundGate(std::vector<OutboundAllow> allow) : guard_(std::move(allow)) {}

  // `host` is an address; 0.0.0.0 and :: are all of this machine's.
  void add_own(const std::string& host, std::uint16_t port);

  std::optional<OutboundRule> check(const std::string& host, const boost::asio::ip::address& address,
                                    std::uint16_t port) const;
  bool forbids_port(std::uint16_t port) const { return guard_.forbids_port(port); }

 private:
  bool is_own(const IpAddress& address, std::uint16_t port) const;

  const OutboundGuard guard_;
  mutable Mutex mutex_;
  std::vector<OwnListener> own_ EILBOTE_GUARDED_BY(mutex_);
};

// The same for all addresses of a name; one that is refused refuses them all: which of them a connection ends at is up to whoever
// runs the name. `addresses` may be empty where the host is an address.
std::optional<OutboundRule> forbidden_by(const OutboundForbids& forbids, const std::string& host,
                                         const Addresses& addresses, std::uint16_t port);

}  // namespace eilbote
