// What the process before this one knew about the mails it had: read from the slots it left behind.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "channel/hand_over_slots.h"
#include "domain/delivery.h"
#include "ports/channel.h"

namespace eilbote {

class FormerHandOvers {
 public:
  explicit FormerHandOvers(const HandOverSlots::LeftBehind& left_behind);

  // What became of a mail that was leased to it; nothing: it had not left, and may be sent again at once.
  std::optional<DeliveryResult> what_became_of(const Lease& lease,
                                               const std::vector<Recipient>& recipients) const;

 private:
  bool is_known_;
  std::map<Lease, HandOver> hand_overs_;
};

// A mail whose worker died, and nobody can say whether the relay has it.
DeliveryResult lost_with_its_worker();

}  // namespace eilbote
