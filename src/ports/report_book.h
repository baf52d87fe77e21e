// The report book: every delivery report that came in, once, with the mail it belongs to or without one. Taking a report,
// what it changes in the mail's row and recipients, its events and the suppressions that follow are one transaction, so a report
// is applied once however often it comes. The rules of ports/outbox.h hold here too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "domain/delivery_report.h"
#include "domain/job.h"
#include "domain/report_rules.h"

namespace eilbote {

enum class ReportKind {
  applied,      // something changed: the mail's state, a recipient, or a note was added to its record
  seen_before,  // a report of this key was taken already: nothing was done
  unmatched,    // no mail of ours is meant: kept for people to look at
};

struct ReportOutcome {
  ReportKind kind = ReportKind::unmatched;
  std::optional<JobId> job;
  std::string from, to;                 // public states of the mail; equal: it stays
  std::vector<std::string> suppressed;  // addresses that are on the list now because of it
  LaneId lane;                          // of a mail that is queued again by it
};

struct ReportRecord {
  std::int64_t number = 0;  // ascending
  TimePoint at{};           // when it came in
  ReportSource source = ReportSource::dsn;
  std::optional<JobId> job;  // none: unmatched
  std::string body;          // JSON: key, references, recipients
};

struct ReportQuery {
  std::optional<bool> matched{};
  std::optional<JobId> job{};
  std::optional<std::int64_t> before{};  // numbers below
  int limit = 50;
};

class ReportBook {
 public:
  virtual ~ReportBook() = default;

  // Finds the mail by the report's references, in order, and does what domain/report_rules.h decides; all or nothing, guarded
  // by the row's lock. Of a mail that is leased at the moment only recipients that were taken are reported on, and what cannot be
  // applied to the state it is in is kept as a note. A report that is_too_early() answers too_early_error() (unavailable) and
  // leaves everything as it was, its key unspent: bring it again. Ambiguous error: take it again, its key says what happened.
  virtual Result<ReportOutcome> take(const DeliveryReport& report) = 0;

  // The newest first.
  virtual Result<std::vector<ReportRecord>> reports(const ReportQuery& query) = 0;
};

}  // namespace eilbote
