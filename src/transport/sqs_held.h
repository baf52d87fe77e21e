// The messages of one queue that are held here: handed over and not acknowledged, or acknowledged and not deleted yet. Knows
// the newest handle of each, when its time must be extended, and which were acknowledged lately, so that one that comes again
// is deleted and not handed over again. Pure book-keeping, of one thread; used by sqs_consumer.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "ports/transport.h"
#include "transport/sqs_answers.h"

namespace eilbote {

class SqsHeld {
 public:
  // `visibility`: how long SQS hides what it gave us.
  explicit SqsHeld(Duration visibility) : visibility_(visibility) {}

  // A message that SQS gave us. True: it is to be handed over, under `receipt`. False: it is held already (and has a new
  // handle now), or it was acknowledged before, and is deleted.
  bool take(const SqsMessage& message, Receipt receipt, Clock::Steady now);
  // It is deleted as soon as may be. A receipt that is not known is passed over.
  void acknowledge(Receipt receipt);

  // Messages that are handed over, and all that take up room.
  std::size_t handed_over() const { return held_.size(); }
  std::size_t size() const { return held_.size() + deletes_.size() + deleting_; }

  // Half of whose time is over, at most `max` of them; not named again for a while.
  std::vector<Receipt> to_extend(Clock::Steady now, std::size_t max);
  // SQS hides them for the whole time again, from when it was asked.
  void extended(Receipt receipt, Clock::Steady asked_at);
  // SQS does not know the handle any more: the message will come again.
  void expired(Receipt receipt);
  // When to_extend is to be asked again.
  std::optional<Clock::Steady> next_extension() const;

  struct Deletion {
    std::string id;
    std::string handle;
    Clock::Steady until;  // after it the message comes again anyway
  };
  std::size_t deletions() const { return deletes_.size(); }
  // Takes at most `max` of them out; each is given back, or counted off.
  std::vector<Deletion> next_deletions(std::size_t max);
  // SQS deleted it, or will not with this handle.
  void deleted() { --deleting_; }
  // Unless the message comes again before that, or waits already under a newer handle.
  void delete_again(Deletion deletion, Clock::Steady now);

  // The handles of what is handed over: given up, so that others get it.
  std::vector<std::string> give_up();
  // Empty: it is not held.
  std::string handle(Receipt receipt) const;

 private:
  struct Message {
    std::string id;
    std::string handle;
    Clock::Steady until;  // SQS hides it so long
    Clock::Steady extend_at;
    bool is_expired = false;
  };
  void remember(const std::string& id);

  const Duration visibility_;
  std::map<Receipt, Message> held_;
  std::unordered_map<std::string, Receipt> receipts_;  // by the message's id
  std::deque<Deletion> deletes_;
  std::size_t deleting_ = 0;
  std::unordered_set<std::string> done_;  // acknowledged lately
  std::deque<std::string> done_order_;
};

}  // namespace eilbote
