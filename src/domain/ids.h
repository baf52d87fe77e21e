// The identifiers of the domain, each its own type.
#pragma once

#include <cstdint>
#include <string>

#include "base/strong_type.h"

namespace eilbote {

// A job's TSID (domain/tsid.h). BIGINT in the database, 13 characters in JSON.
using JobId = StrongType<struct JobIdTag, std::int64_t>;

// The application that owns a job: the token's `azp`; `local` when auth is off.
using ClientName = StrongType<struct ClientNameTag, std::string>;

// A running instance, numbered by the database when it starts; never used twice.
using Epoch = StrongType<struct EpochTag, std::int32_t>;

// The right to settle a job: epoch << 32 | round of the ledger. Only its holder may settle.
using LeaseToken = StrongType<struct LeaseTokenTag, std::int64_t>;

inline LeaseToken make_lease_token(Epoch epoch, std::uint32_t round) {
  return LeaseToken{(static_cast<std::int64_t>(epoch.value()) << 32) | round};
}
inline Epoch epoch_of(LeaseToken token) {
  return Epoch{static_cast<std::int32_t>(token.value() >> 32)};
}

// All tokens of an epoch lie between these two: a range of an index over them.
struct LeaseTokens {
  std::int64_t first, last;
};
inline LeaseTokens tokens_of(Epoch epoch) {
  return {make_lease_token(epoch, 0).value(), make_lease_token(epoch, 0xFFFF'FFFF).value()};
}

// What the ledger claims by: (pool, client, channel, endpoint host), numbered by the store.
using LaneId = StrongType<struct LaneIdTag, std::int32_t>;

}  // namespace eilbote
