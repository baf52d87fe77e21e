#include "chaos/pulse.h"

#include <condition_variable>
#include <mutex>

namespace eilbote::chaos {
namespace {

using namespace std::chrono_literals;

constexpr auto kBeat = 100ms;
constexpr std::int64_t kTooLong = 1'500'000;

}  // namespace

Pulse::Pulse(test::History& history)
    : thread_([&history](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        for (std::int64_t last = test::history_now(); !stop.stop_requested(); last = test::history_now()) {
          never.wait_for(lock, stop, kBeat, [] { return false; });
          if (test::history_now() - last < kTooLong) continue;
          history.add({.kind = test::HistoryKind::fault,
                       .at = last,
                       .until = test::history_now(),
                       .name = std::string(test::fault_kind::starved),
                       .status = "this machine gave its processes no time"});
        }
      }) {}

}  // namespace eilbote::chaos
