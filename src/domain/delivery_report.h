// What somebody says became of a mail after it was handed over: a bounce (DSN), a delivery receipt, a provider's event, a row
// of a message trace. Read by domain/dsn.h and the API, decided on by domain/report_rules.h, stored by ports/report_book.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/ids.h"
#include "domain/names.h"

namespace eilbote {

struct RecipientReport {
  std::string address;           // empty: all recipients that were taken (a provider that names none)
  std::string original_address;  // before a forward or an alias; empty: not said
  ReportAction action = ReportAction::delayed;
  std::string status{};      // "5.1.1"; empty: not said
  std::string diagnostic{};  // the other side's words; not cleaned yet
  friend bool operator==(const RecipientReport&, const RecipientReport&) = default;
};

// One way to the mail that is meant. The first that leads to a mail we have is taken.
struct ReportReference {
  std::optional<JobId> job{};  // it names our id
  std::string message_id{};    // "<left@right>"; ours, or the one a provider gave it
  std::string provider_id{};   // the provider's own id
  friend bool operator==(const ReportReference&, const ReportReference&) = default;
};

struct DeliveryReport {
  // Tells a report from its repetition: "dsn:SHA256", "graph:ID", "provider:SHA256". Never empty.
  std::string key;
  ReportSource source = ReportSource::dsn;
  std::vector<ReportReference> references;  // in the order they are tried
  std::vector<RecipientReport> recipients;
  std::optional<TimePoint> said_at{};  // when it happened, by its own account
  std::string trace_id{};
};

}  // namespace eilbote
