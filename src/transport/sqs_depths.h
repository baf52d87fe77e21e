// How many messages wait in each queue: as SQS said last, and what was published since. Asked for at most once a second per
// queue, and only while somebody publishes or wants to know. On the transport's loop, but for waiting().
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/mutex.h"
#include "transport/sqs_queues.h"

namespace eilbote {

class SqsDepths {
 public:
  SqsDepths(const SqsTiming& timing, SqsQueues& queues, SqsDoor& door, SqsLoop& loop)
      : timing_(timing), queues_(queues), door_(door), loop_(loop) {}

  void published(CarrierQueue queue, std::int64_t messages);
  // Asks SQS, unless that was done less than a second ago.
  void refresh(CarrierQueue queue);

  // From any thread. Absent: SQS has not said yet.
  std::optional<std::int64_t> waiting(CarrierQueue queue);

 private:
  struct Depth {
    std::optional<std::int64_t> heard;
    std::int64_t published = 0;         // in all
    std::int64_t published_before = 0;  // of them, when SQS was asked for what was heard
    std::optional<Clock::Steady> asked_at;
    bool is_wanted = false;  // an errand is on its way to ask
  };
  void heard(CarrierQueue queue, const SqsAnswer& answer, std::int64_t published_before);
  bool may_ask(const Depth& depth) const;

  const SqsTiming timing_;
  SqsQueues& queues_;
  SqsDoor& door_;
  SqsLoop& loop_;
  Mutex mutex_;
  std::map<CarrierQueue, Depth> depths_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
