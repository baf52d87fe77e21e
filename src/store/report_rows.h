// What a delivery report becomes in the database, the same in both stores: its body, the suppressions that follow, and the rows
// read back. Called by reports.cpp and suppressions.cpp in postgres/ and sqlite/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/report_book.h"
#include "ports/suppression_list.h"
#include "store/row_readers.h"

namespace eilbote {

// Ways to a mail that are tried; a report that names more is no better known by them.
inline constexpr std::size_t kReferencesMax = 20;

// Why a report put an address on the list begins so; what was said follows after a colon.
inline constexpr std::string_view kBouncedReason = "bounced";

// {"key":..,"saidAt":..,"references":[..],"recipients":[..]}, made fit to store.
std::string report_body(const DeliveryReport& report);

// A reference as it may be asked for; what had to be cleaned is no mail's.
std::string findable_text(std::string_view reference);

// A mail that is reported on, as its row and recipients are under the lock.
struct ReportedMail {
  Job job;
  LaneId lane;
  std::int32_t client_id = 0;
  std::optional<std::int64_t> group;
  std::vector<Recipient> recipients;
  std::optional<RetryPolicy> retry;  // its own
};

// Addresses with the reasons they are suppressed for, sorted, so that two reports never wait for each other.
std::vector<std::pair<std::string, std::string>> suppressions_of(const ReportDecision& decision,
                                                                 const ReportedMail& mail);

// Without the suppressed addresses and the lane, which the store knows.
ReportOutcome outcome_of(const ReportDecision& decision, const ReportedMail& mail);

// mail_of_report: what lies in `messages`; read_recipient lays the results over it.
template <class Row>
void read_reported(const Row& row, ReportedMail& mail) {
  mail.recipients = recipients_from_json(row.text(1));
  if (!row.is_null(2)) mail.retry = retry_from_json(row.text(2));
}

// list_reports, list_reports_of, list_reports_unmatched
template <class Row>
ReportRecord read_report(const Row& row) {
  ReportRecord record;
  record.number = row.int8(0);
  record.at = row.time(1);
  record.source = read_name(kReportSourceNames, row, 2).value_or(ReportSource::dsn);
  if (!row.is_null(3)) record.job = JobId{row.int8(3)};
  record.body = row.text(4);
  return record;
}

// list_suppressions
template <class Row>
Suppression read_suppression(const Row& row) {
  Suppression entry{ClientName{std::string(row.text(0))},
                    std::string(row.text(1)),
                    std::string(row.text(2)),
                    {},
                    row.time(4)};
  if (!row.is_null(3)) entry.job = JobId{row.int8(3)};
  return entry;
}

}  // namespace eilbote
