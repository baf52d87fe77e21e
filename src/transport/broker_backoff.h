// How long to wait before a lost connection to a broker is made again: 100 ms, doubled up to 10 s, each between half and all of
// it, so that many instances do not come back at the same moment. Pure.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/random.h"

namespace eilbote {

class BrokerBackoff {
 public:
  std::chrono::milliseconds next(Random& random) {
    const auto full = wait_;
    wait_ = std::min(wait_ * 2, kMost);
    return std::chrono::milliseconds{
        static_cast<std::int64_t>(static_cast<double>(full.count()) * (0.5 + random.unit() / 2))};
  }
  // The connection did its work.
  void reset() { wait_ = kFirst; }

 private:
  static constexpr std::chrono::milliseconds kFirst{100}, kMost{10'000};
  std::chrono::milliseconds wait_ = kFirst;
};

}  // namespace eilbote
