// Which contents lie in memory, by route and in all, and which of them a request is open for: how departures know whether
// one more fits. Plain counting, no I/O; guarded by its owner.
//
// What is true between two calls, and what is_consistent() checks by counting again:
//   - a route's bytes, contents and open requests are the sums over what is held for it;
//   - a route for which nothing is held has no entry;
//   - the bytes of webhooks are the sum over all held ones.
#pragma once

#include <map>
#include <string>

#include "ports/channel.h"

namespace eilbote {

class ContentBook {
 public:
  // From its loading on. `route` is the endpoint host; of a mail: "".
  void hold(const Lease& lease, ChannelKind channel, const std::string& route, std::size_t bytes);
  // Its request is open. One that is not held (its content is gone) is not counted.
  void begin(const Lease& lease);
  // It is over, or will not begin. Nothing happens when it is not held.
  void let_go(const Lease& lease);

  // Whether one more for this route would have to wait for memory.
  bool is_full(ChannelKind channel, const std::string& route) const;
  // Requests under way.
  std::size_t open(const std::string& route) const;

  bool is_consistent() const;

 private:
  struct Load {
    std::size_t bytes = 0;
    std::size_t contents = 0;
    std::size_t open = 0;  // of them, those that have begun
    friend bool operator==(const Load&, const Load&) = default;
  };
  using Loads = std::map<std::string, Load>;  // by route
  struct Held {
    ChannelKind channel = ChannelKind::mail;
    Loads::iterator load{};
    std::size_t bytes = 0;
    bool begun = false;
  };
  Load load_of(const std::string& route) const;

  std::map<Lease, Held> held_;
  Loads loads_;  // of them
  std::size_t webhook_bytes_ = 0;
};

}  // namespace eilbote
