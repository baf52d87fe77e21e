// Rows of the publish book as values, once for both stores (store/row_readers.h says how). Called by publishing.cpp in
// postgres/ and sqlite/.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "ports/publish_book.h"
#include "store/row_readers.h"

namespace eilbote {

// claim_publish: a job that is leased now under `token`. A group is told by its number, which says nothing about its name.
template <class Row>
PublishClaim read_publish_claim(const Row& row, LeaseToken token) {
  PublishClaim claim;
  claim.id = JobId{row.int8(0)};
  claim.lane = read_lane(row);
  claim.token = token;
  claim.channel = read_name(kChannelNames, row, 2).value_or(ChannelKind::mail);
  claim.retry_count = row.int4(3);
  claim.attempt = row.int4(4) + 1;
  claim.next_attempt_at = row.time(5);
  if (!row.is_null(6)) claim.group = std::to_string(row.int8(6));
  claim.published_before = row.boolean(7);
  claim.key = read_message_key(row, 8, claim.id);
  return claim;
}

// The statements answer in any order.
inline void sort_claims(std::vector<PublishClaim>& claims) {
  std::ranges::sort(claims, {}, [](const PublishClaim& claim) {
    return std::tuple(claim.lane, claim.next_attempt_at, claim.id);
  });
}

// paused_lanes
template <class Row>
PausedLane read_paused(const Row& row) {
  return {LaneId{row.int4(0)}, Duration{row.int8(1)}};
}

// untold_dead
template <class Row>
DeadLetter read_dead_letter(const Row& row) {
  DeadLetter letter;
  letter.id = JobId{row.int8(0)};
  letter.channel = read_name(kChannelNames, row, 1).value_or(ChannelKind::mail);
  letter.attempt = row.int4(2);
  letter.reason = read_name(kDeadReasonNames, row, 3).value_or(DeadReason::PermanentFailure);
  letter.last_error = row.text(4);
  letter.failed_at = row.time(5);
  letter.key = read_message_key(row, 6, letter.id);
  return letter;
}

}  // namespace eilbote
