// How long the SQS transport waits for what. Tests make it shorter; nobody else changes it.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/random.h"
#include "base/time.h"

namespace eilbote {

struct SqsTiming {
  // Messages that were received are hidden from others for so long; extended at half-time while they are held.
  std::chrono::seconds visibility{60};
  std::chrono::seconds poll{20};  // SQS answers an empty receive after this; the longest it allows
  Duration beyond_poll{
      std::chrono::seconds{10}};  // the answer of a receive may take so much longer than its poll
  Duration request{std::chrono::seconds{10}};     // any other answer
  Duration depth_every{std::chrono::seconds{1}};  // a queue's depth is asked for at most so often
  // While nothing goes wrong SQS is asked so often whether it is there: who only publishes, and has nothing to, knows it too.
  Duration watch_every{std::chrono::seconds{30}};
  Duration backoff_min{std::chrono::milliseconds{100}};
  Duration backoff_max{std::chrono::seconds{10}};
  Duration farewell{std::chrono::milliseconds{1500}};  // at the end, for giving back what is held
};

// The wait after the `failures`-th failure in a row (from 1): doubled each time, and anything between half of it and all of
// it, so that many instances do not come back at once.
inline Duration sqs_backoff(const SqsTiming& timing, int failures, Random& random) {
  const int doublings = std::clamp(failures - 1, 0, 20);
  const Duration whole = std::min(timing.backoff_max, timing.backoff_min * (std::int64_t{1} << doublings));
  return Duration{static_cast<std::int64_t>(static_cast<double>(whole.count()) * (1 + random.unit()) / 2)};
}

}  // namespace eilbote
