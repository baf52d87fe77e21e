// Waiting for a condition that only shows from outside (an HTTP answer, a file): asks again until it holds or the
// patience is over. The one place in the tests that pauses; everything else waits on a signal.
#pragma once

#include <poll.h>

#include <chrono>

namespace eilbote::test {

// True as soon as `condition()` is; false when it was not within `patience`. It is asked once more at the end.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds patience = std::chrono::seconds{30},
                std::chrono::milliseconds pause = std::chrono::milliseconds{10}) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    ::poll(nullptr, 0, static_cast<int>(pause.count()));
  }
}

// True when `condition()` holds for the whole time: for proving that nothing happens.
template <class Condition>
bool throughout(Condition condition, std::chrono::milliseconds time,
                std::chrono::milliseconds pause = std::chrono::milliseconds{20}) {
  return !eventually([&] { return !condition(); }, time, pause);
}

}  // namespace eilbote::test
