// The fingerprint that decides whether two requests with one Idempotency-Key are the same.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"

namespace eilbote {

// Canonical JSON: members sorted by name, no white space, numbers in one form (1, 1.0 and 1e0 are the same).
std::string canonical_json(const boost::json::value& value);

Sha256 fingerprint(const boost::json::value& body);

inline constexpr std::size_t kIdempotencyKeyMin = 8;
inline constexpr std::size_t kIdempotencyKeyMax = 128;
// Printable ASCII characters, within these limits.
Result<void> check_idempotency_key(std::string_view key);

}  // namespace eilbote
