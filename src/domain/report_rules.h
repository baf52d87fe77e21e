// What a delivery report makes of a mail, decided purely; the store applies it under
// the row's lock (ports/report_book.h).
//
// - The mail is BOUNCED as soon as a taken recipient bounced for good, DELIVERED when every taken one is delivered, else SENT:
//   whatever order the reports come in.
// - given_up takes a recipient out (refused); when nobody is left the mail is FAILED. deferred lets it wait again and counts as
//   a failed attempt: RETRY_PENDING, or the same end as given_up when the attempts are used up.
// - relayed, expanded, delayed and what is said of an address that is not the mail's change nothing; they are notes.
// - A mail that still goes out (some recipients taken, others waiting) stays as it is; its taken recipients are marked, and
//   report_of() says what it becomes once it is sent.
// - A report on a recipient that still waits, of a mail somebody may have handed over just now, comes too early: it is not taken
//   at all, and whoever brings it comes again (is_too_early).
// - Addresses that bounced for good are suppressed: a status of 5.x.x, or none; but "failed" in a message trace never does.
// - A report that contradicts a final state is a note. The states move by the table in domain/states.cpp and by nothing else.
// - A report about an uncertain mail (FAILED, Uncertain) first makes it SENT: somebody has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "domain/delivery.h"
#include "domain/delivery_report.h"
#include "domain/job.h"
#include "domain/retry_policy.h"

namespace eilbote {

struct ReportDecision {
  bool changes_row = false;  // false: nothing below up to `recipients` is to be written
  JobStatus status = JobStatus::sent;
  std::optional<Report> report;
  std::optional<DeadReason> dead_reason;
  int retry_count = 0;
  bool partial = false;           // reopened: others have been taken already
  std::optional<Duration> delay;  // reopened: due then
  std::string last_error;
  std::vector<RecipientResult> recipients;  // changes only
  std::vector<StatusEvent> events;    // in order; one with from == to is a note, which no callback is told
  std::vector<std::string> suppress;  // addresses that bounced for good, as normal_address() spells them

  // The hand-over it had is over: sent once more, it must be handed over anew.
  bool ends_hand_over() const { return changes_row && status != JobStatus::sent; }
};

struct ReportRules {
  RetryPolicy policy;  // the mail's, for a report that reopens it
};

ReportDecision decide_report(const Job& job, const std::vector<Recipient>& recipients,
                             const DeliveryReport& report, const ReportRules& rules, Random& random);

// Whether the report says what became of a recipient before the hand-over to it is on record: the mail is leased, or waits after
// an attempt or a lost lease, whose answer may yet say that it was taken. Asked before decide_report. A mail that was never tried
// cannot have been handed over; of that one it is a note.
bool is_too_early(const Job& job, const std::vector<Recipient>& recipients, const DeliveryReport& report);

// What the report book answers then; nothing of the report is kept, so that the same one counts when it comes again.
inline constexpr std::string_view kTooEarly = "the mail is being sent; bring the report again later";
Error too_early_error();
// Whether it is that one, whatever was put in front of it on its way up.
bool says_too_early(const Error& error);

// Why a mail moves by what its recipients were reported as before; for people.
inline constexpr std::string_view kReportedBefore = "as was reported on its recipients before";

// What a mail that is sent becomes by what was reported on its recipients; none: SENT.
std::optional<Report> report_of(const std::vector<Recipient>& recipients);

// The spelling addresses are compared and suppressed by: the domain in lower case (IDN as A-labels), the local part as it is
// but for ASCII case, which no mailbox we know of tells apart.
std::string normal_address(const std::string& address);

}  // namespace eilbote
