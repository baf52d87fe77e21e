// SHA-256 and the 64-bit hash cut from it that facets and groups are indexed by.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace eilbote {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

// A stable hash of several parts (lengths included, so that ("ab","c") and ("a","bc") differ), as the signed
// number a BIGINT column holds. Equal hashes are rechecked against the row.
std::int64_t hash64(std::initializer_list<std::string_view> parts);

}  // namespace eilbote
