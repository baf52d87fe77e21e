// Asks Exchange's message trace what became of a mailbox's mails, one row per recipient: the one source that says "delivered" of
// mails to the internet. Optional (GraphOptions::message_trace). Called by the Graph watch, on its thread.
//
// One window of time per sender and look: from where everything was final the last time, until now. The window's end is on record
// when all its rows were reported, so a crash reads it again; each row has a key, and is applied once.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>

#include "base/clock.h"
#include "channel/graph_door.h"
#include "channel/graph_kept_mailbox.h"
#include "domain/delivery_report.h"
#include "domain/graph_options.h"
#include "ports/mailbox_watch.h"

namespace eilbote {

using TakeReport = std::function<Result<void>(DeliveryReport)>;

// What a row of the trace says, as a report of one recipient; nothing while it is under way, or when it names no mail.
std::optional<DeliveryReport> report_of_trace(const boost::json::value& row);

class GraphTrace {
 public:
  static constexpr int kRequestsMax = 90;  // in kRequestsPer; Exchange allows a tenant 100
  static constexpr Duration kRequestsPer = std::chrono::minutes{5};
  static constexpr Duration kLookEvery = std::chrono::minutes{5};  // at least, between two looks at a sender
  static constexpr Duration kFirstLook = std::chrono::hours{2};
  static constexpr Duration kAppearsWithin = std::chrono::hours{1};  // rows show up late
  static constexpr Duration kPendingMax = std::chrono::hours{48};  // what waits for longer is not waited for
  static constexpr int kPagesMax = 40;                             // of a window: 40,000 rows

  GraphTrace(const GraphOptions& options, GraphDoor& door, MailboxWatch& watch, TakeReport take,
             const Clock& clock)
      : options_(options), door_(door), watch_(watch), take_(std::move(take)), clock_(clock) {}

  // The window of this sender; says in its errand when to come again.
  void look(KeptMailbox& mailbox, const std::stop_token& stop);

 private:
  struct Window {
    TimePoint from, until;
    TimePoint final_until;                     // every row before it has its last word
    std::unordered_set<std::uint64_t> traced;  // rows that were reported, in this look or before
  };
  // Nothing: it failed, and its errand knows. Else the path of the next page; empty: that was the last.
  std::optional<std::string> read_page(KeptMailbox& mailbox, const std::string& path, Window& window,
                                       const std::stop_token& stop);
  bool take_row(const KeptMailbox& mailbox, const boost::json::value& row, Window& window);
  // Whether the tenant's limit has room for one more; then it is counted.
  bool may_ask();

  const GraphOptions& options_;
  GraphDoor& door_;
  MailboxWatch& watch_;
  const TakeReport take_;
  const Clock& clock_;
  std::deque<Clock::Steady> asked_;  // the times of requests, the oldest first
};

}  // namespace eilbote
