// The report desk: what comes back about mails that were handed over goes through here, whoever brings it: the API
// (POST /webhooks/dsn and /webhooks/provider), the watch over a mailbox, the message trace. Reads a bounce, hands the report
// to the book, counts and logs what became of it, and wakes the lane of a mail that is queued again.
//
// Blocks as the store does; safe from many threads. A crash after the book's commit loses a count and a log line, and whoever
// brings the report again hears that it was seen before.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/delivery_report.h"
#include "ports/report_book.h"

namespace eilbote {

struct Metrics;

struct ReportAnswer {
  ReportTaken taken = ReportTaken::ignored;
  DsnKind kind = DsnKind::report;           // of a raw message: what it is
  ReportOutcome outcome{};                  // unless it was ignored
  std::vector<RecipientReport> recipients;  // what it says of whom
};

class ReportDesk {
 public:
  using Wake = std::function<void(std::span<const LaneId>)>;

  // All of it outlives the desk.
  ReportDesk(ReportBook& book, Metrics& metrics, Wake wake);

  // A message as it lay in a mailbox. What is no report on a delivery (read receipts, out-of-office answers, mails of people) is
  // ignored and counted. A bounce that no machine can read is kept, and noted with the mail it refers to.
  Result<ReportAnswer> take_dsn(std::string_view raw, std::string key, ReportSource source,
                                const std::string& trace_id);
  Result<ReportAnswer> take(const DeliveryReport& report);

 private:
  ReportBook& book_;
  Metrics& metrics_;
  const Wake wake_;
};

// The key of a raw message that has no better one: the same bytes are the same report.
std::string dsn_key(std::string_view raw);

}  // namespace eilbote
