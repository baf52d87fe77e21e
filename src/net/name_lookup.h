// Looks a host name up. Blocks, as the system's resolver does: whoever calls it has a thread to spare.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace eilbote {

struct LookupFault {
  bool is_unknown_name = false;  // the name does not exist, or has no address; else the resolver has trouble
  std::string text;              // "No address associated with hostname"
};

// Addresses of both families in turn, each family in the resolver's order: one that is cut off costs one try.
using Addresses = std::vector<boost::asio::ip::address>;
using NameLookup = std::function<tl::expected<Addresses, LookupFault>(const std::string& host)>;

tl::expected<Addresses, LookupFault> look_up_name(const std::string& host);

}  // namespace eilbote
