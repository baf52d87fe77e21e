// Times of many events, for percentiles. Every sample is kept: a minute at 20,000/s is 10 MB, and nothing is
// rounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace eilbote::load {

class Samples {
 public:
  void add(std::int64_t nanoseconds) { all_.push_back(nanoseconds); }
  std::size_t size() const { return all_.size(); }

  // {"count":..,"p50":..}; milliseconds. Nearest rank: the p99 of 100 samples is the 99th.
  std::string json() {
    std::sort(all_.begin(), all_.end());
    double sum = 0;
    for (const auto one : all_)
      sum += static_cast<double>(one);
    const double mean = all_.empty() ? 0 : sum / static_cast<double>(all_.size()) / 1e6;
    return fmt::format(
        R"({{"count":{},"mean":{:.3f},"p50":{:.3f},"p90":{:.3f},"p99":{:.3f},"p999":{:.3f},"max":{:.3f}}})",
        all_.size(), mean, at(0.5), at(0.9), at(0.99), at(0.999), at(1));
  }

 private:
  double at(double share) const {
    if (all_.empty()) return 0;
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(all_.size())));
    return static_cast<double>(all_[std::max<std::size_t>(rank, 1) - 1]) / 1e6;
  }
  std::vector<std::int64_t> all_;
};

}  // namespace eilbote::load
