// The outbound guard: whether a request that a client asked for may go to a host, at an address, on a port. Pure; the same
// function answers when a job is created and when its connection is made. What an operator configured (relay, issuer, Vault) does
// not come here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/ip_address.h"
#include "domain/outbound_rules.h"

namespace eilbote {

// One entry of EILBOTE_OUTBOUND_ALLOW.
struct OutboundAllow {
  std::optional<IpRange> range;       // absent: by name
  std::string host;                   // lower case, A-labels; ".example.org" stands for every name below it
  std::optional<std::uint16_t> port;  // absent: every port that is not blocked
};

// Entries with commas in between; the error says which one is wrong, and what would be right.
Result<std::vector<OutboundAllow>> parse_outbound_allow(std::string_view text);

class OutboundGuard {
 public:
  explicit OutboundGuard(std::vector<OutboundAllow> allow = {}) : allow_(std::move(allow)) {}

  // The rule that forbids it; absent: allowed. `host` as in the URL, in lower case.
  // An entry without a port does not open a blocked port, and only an entry that names the very address opens a metadata
  // service: neither can be opened by the way.
  std::optional<OutboundRule> check(std::string_view host, const IpAddress& address,
                                    std::uint16_t port) const;
  // Whether the port alone forbids it, wherever the name may lead.
  bool forbids_port(std::uint16_t port) const;

 private:
  const std::vector<OutboundAllow> allow_;
};

struct OwnListener {
  IpAddress address;  // may be the unspecified one: every address of this machine
  std::uint16_t port = 0;
};
// Whether a connection to `address` would come back to the listener. `local`: the addresses of this machine.
bool leads_to(const OwnListener& listener, const IpAddress& address, std::uint16_t port,
              std::span<const IpAddress> local);

}  // namespace eilbote
