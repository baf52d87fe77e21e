// Which deliveries wait for an acknowledgement on the present connection. The broker ends the channel for one that it does not
// know, or that comes twice: only what is open here is sent, and with one word for all up to a number where that is so.
// Pure; belongs to the consumer's thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "ports/transport.h"

namespace eilbote {

class AckBook {
 public:
  struct Order {
    std::uint64_t tag = 0;
    bool multiple = false;
    friend bool operator==(const Order&, const Order&) = default;
  };

  // The delivery's name for others: a connection's tags begin at 1, so it says of which connection they are.
  Receipt delivered(std::uint64_t tag, CarrierQueue queue);
  // What to tell the broker. Receipts of former connections, and those it knows nothing of, are passed over.
  std::vector<Order> acknowledge(const std::vector<Receipt>& receipts);
  // A new connection: what is open is delivered again, under new receipts.
  void begin_anew();

  // How many of a queue are open.
  int held(CarrierQueue queue) const { return held_[static_cast<std::size_t>(queue)]; }
  bool is_consistent() const;

 private:
  void close(std::uint64_t tag);

  std::uint64_t generation_ = 1;
  std::map<std::uint64_t, CarrierQueue> open_;
  std::array<int, kCarrierQueueNames.entries.size()> held_{};
};

}  // namespace eilbote
