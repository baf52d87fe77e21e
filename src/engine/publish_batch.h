// What the publisher hands to the broker and what it learns from it: a claim becomes a parcel, the broker's answer a mark for
// the database, and each decision a log line and a count. Functions of what they are given.
#pragma once

#include <vector>

#include "ports/publish_book.h"
#include "ports/transport.h"

namespace eilbote {

struct Metrics;

// A claim the broker has answered about; to be marked in the next round.
struct AnsweredClaim {
  PublishClaim claim;
  CarrierQueue queue = CarrierQueue::mail_send;
  Carriage carriage = Carriage::unknown;
  Duration delay{0};  // not confirmed: until it is due again

  PublishMark mark() const { return {claim.id, claim.token, carriage == Carriage::confirmed, delay}; }
};

// The queue a claim goes by.
CarrierQueue queue_of(const PublishClaim& claim, bool retries_apart);

std::vector<Parcel> parcels_of(const std::vector<PublishClaim>& claims, bool retries_apart);

// One line per decision: Published, or Skipped and why. `now`: this process's time, for when a skipped one is tried again.
void report_marked(const AnsweredClaim& answered, TimePoint now, Metrics& metrics);

}  // namespace eilbote
