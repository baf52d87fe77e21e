// Finds out that a consumer is deaf: its queue has messages, there is room for them here, and none comes. RabbitMQ can leave one
// so when a queue is deleted and made again while it is being consumed. Pure; belongs to the consumer's thread.
#pragma once

#include <array>
#include <cstdint>

#include "domain/carried_job.h"

namespace eilbote {

class DeafCheck {
 public:
  // A message came: it hears.
  void arrived(CarrierQueue queue) { row(queue) = {.heard = true}; }
  // From time to time: whether the broker is to be asked what waits in the queue.
  bool wants_depth(CarrierQueue queue, bool has_room) {
    Row& its = row(queue);
    if (its.heard || !has_room)
      its = {};
    else
      its.asked = true;
    return its.asked;
  }
  // The answer. True: it is deaf; it was found so twice, and heard nothing in between.
  bool is_deaf(CarrierQueue queue, std::int64_t messages) {
    Row& its = row(queue);
    if (!its.asked) return false;
    its.asked = false;
    its.suspicions = messages > 0 ? its.suspicions + 1 : 0;
    return its.suspicions >= 2;
  }

 private:
  struct Row {
    bool heard = false, asked = false;
    int suspicions = 0;
  };
  Row& row(CarrierQueue queue) { return rows_[static_cast<std::size_t>(queue)]; }

  std::array<Row, kCarrierQueueNames.entries.size()> rows_{};
};

}  // namespace eilbote
