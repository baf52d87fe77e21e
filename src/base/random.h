// Randomness, injected so that tests can choose it.
#pragma once

#include <cstdint>
#include <random>

#include "base/mutex.h"

namespace eilbote {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t bits() = 0;
  // In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
};

// Seeded from the operating system; safe to share between threads.
class SystemRandom final : public Random {
 public:
  SystemRandom() : engine_(std::random_device{}()) {}
  std::uint64_t bits() override {
    const MutexLock lock(mutex_);
    return engine_();
  }

 private:
  Mutex mutex_;
  std::mt19937_64 engine_ EILBOTE_GUARDED_BY(mutex_);
};

class FixedRandom final : public Random {
 public:
  explicit FixedRandom(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits() override { return bits_; }

 private:
  std::uint64_t bits_;
};

}  // namespace eilbote
