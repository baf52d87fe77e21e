// A mailbox that this instance keeps an eye on, and when each of its errands is due. Lives in the memory of the thread
// `graph-watch` only: what must survive is in the row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/clock.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

// Something that is done for a mailbox again and again. Failures are tried again, ever more rarely, and are in the log once
// until they change.
struct WatchErrand {
  using Steady = Clock::Steady;
  static constexpr Duration kPauseMin = std::chrono::seconds{10};
  static constexpr Duration kPauseMax = std::chrono::hours{1};

  std::string_view name;  // for the log: "subscription"
  Steady due{};           // the clock's beginning: at once
  int failures = 0;       // in a row
  std::string trouble{};  // what the log was told; empty: nothing is wrong

  bool is_due(Steady now) const { return due <= now; }
  void never() { due = Steady::max(); }
  void went_well(const std::string& mailbox, Steady next);
  // `why` is short and holds no address.
  void failed(const std::string& mailbox, const std::string& why, Steady now,
              std::optional<Duration> retry_after = std::nullopt);
};

struct KeptMailbox {
  WatchedMailbox row;
  WatchErrand subscription{"subscription"}, poll{"inbox"}, trace{"message trace"};
  bool read_anew =
      false;  // the link in the row leads nowhere any more: the inbox is read from a few days ago
  std::unordered_set<std::uint64_t> traced;  // rows of the last window that were reported already

  explicit KeptMailbox(WatchedMailbox kept) : row(std::move(kept)) {}
};

// 10 s, 20 s, 40 s, ... up to an hour.
Duration pause_after(int failures);

}  // namespace eilbote
