// How many messages wait in each queue: what the broker said last, and what was published since it was asked. Asked again soon
// while there is something in a queue that somebody wants to know of, else rarely. From any thread; used by the RabbitMQ
// publisher, which asks the broker.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "domain/carried_job.h"

namespace eilbote {

class QueueDepths {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  // Anybody: the count, absent when nothing is known. `ask` is true when the publisher should look for what is due.
  struct Answer {
    std::optional<std::int64_t> messages;
    bool ask = false;
  };
  Answer waiting(CarrierQueue queue, Steady now) const;

  // The publisher.
  void published(CarrierQueue queue);
  void heard(CarrierQueue queue, std::int64_t messages);
  // The queues to ask the broker for now; they count as asked.
  std::vector<CarrierQueue> take_due(Steady now);
  std::optional<Steady> next_due() const;
  // When the oldest question that has no answer was asked.
  std::optional<Steady> open_since() const;
  // Questions that have no answer will get none.
  void drop_questions();
  // The connection is gone: nothing is known.
  void forget();

 private:
  struct Row {
    std::optional<std::int64_t> heard;
    std::int64_t since = 0;           // published since that was asked
    std::int64_t since_question = 0;  // published since the open question
    std::optional<Steady> question;   // open
    Steady last_asked{};
    mutable std::optional<Steady> wanted;  // when somebody wanted to know it last
  };
  std::optional<Steady> due(const Row& row) const EILBOTE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::array<Row, kCarrierQueueNames.entries.size()> rows_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
