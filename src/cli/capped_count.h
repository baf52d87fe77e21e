// A count of the server that stops at kCountExactMax, one more meaning "more", and the sum of such. Used by `queue` and `watch`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "domain/pool.h"

namespace eilbote::cli {

struct CappedCount {
  std::int64_t number = 0;
  bool is_more = false;

  void add(std::int64_t counted) {
    number += std::min<std::int64_t>(counted, kCountExactMax);
    is_more = is_more || counted > kCountExactMax;
  }
  std::string text() const { return fmt::format("{}{}", number, is_more ? "+" : ""); }
};

}  // namespace eilbote::cli
