// How many connections each client address has open, so that one of them cannot have all. Safe from every thread; touched once
// when a connection comes and once when it goes.
#pragma once

#include <array>
#include <boost/asio/ip/address.hpp>
#include <map>

#include "base/mutex.h"

namespace eilbote {

class PeerCounts {
 public:
  // Of IPv6 the first 64 bits: one machine may use all of the rest.
  using Peer = std::array<unsigned char, 16>;

  static Peer peer_of(const boost::asio::ip::address& address) {
    if (address.is_v4())
      return boost::asio::ip::make_address_v6(boost::asio::ip::v4_mapped, address.to_v4()).to_bytes();
    Peer peer = address.to_v6().to_bytes();
    if (!address.to_v6().is_v4_mapped()) std::fill(peer.begin() + 8, peer.end(), 0);
    return peer;
  }

  // How many this peer has, the new one among them.
  std::size_t enter(const Peer& peer) {
    const MutexLock lock(mutex_);
    return ++counts_[peer];
  }
  void leave(const Peer& peer) {
    const MutexLock lock(mutex_);
    const auto found = counts_.find(peer);
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }

 private:
  Mutex mutex_;
  std::map<Peer, std::size_t> counts_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
