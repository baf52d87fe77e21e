// What a worker says after an attempt, built by hand: the conformance suite tests the store, not the decision
// (domain/after_attempt.h), so each builder writes down one decision completely.
#pragma once

#include <string>
#include <vector>

#include "ports/outbox.h"

namespace eilbote::test {

// Delivered: sent, every recipient taken.
Settlement settle_sent(const ClaimedJob& claimed);
// Failed, counts, queued again after `delay`. For BLOCK_ON_ERROR and ungrouped jobs.
Settlement settle_retry(const ClaimedJob& claimed, Duration delay = std::chrono::minutes{1});
// The same for a NEXT_ON_ERROR job: it gives up its turn.
Settlement settle_block(const ClaimedJob& claimed, Duration delay = std::chrono::minutes{1});
// The other side asked to come back: on record, burns nothing.
Settlement settle_deferred(const ClaimedJob& claimed, Duration delay = std::chrono::minutes{1});
// Recipient 0 was taken, the others wait.
Settlement settle_partial(const ClaimedJob& claimed, Duration delay = std::chrono::minutes{1});
// Dead.
Settlement settle_failed(const ClaimedJob& claimed, DeadReason reason = DeadReason::PermanentFailure);
// Handed back: nothing on record.
Settlement settle_released(const ClaimedJob& claimed);

}  // namespace eilbote::test
