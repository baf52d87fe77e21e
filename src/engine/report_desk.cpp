#include "engine/report_desk.h"

#include "base/hex.h"
#include "base/log.h"
#include "base/sha256.h"
#include "domain/dsn.h"
#include "domain/tsid.h"
#include "engine/outcome_report.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

ReportTaken taken_of(ReportKind kind) {
  switch (kind) {
    case ReportKind::applied:
      return ReportTaken::applied;
    case ReportKind::seen_before:
      return ReportTaken::seen_before;
    case ReportKind::unmatched:
      return ReportTaken::unmatched;
  }
  return ReportTaken::unmatched;
}

// It says that something is wrong, and not with whom: a note on the mail's record, which changes nothing.
RecipientReport unreadable() {
  RecipientReport note;
  note.action = ReportAction::delayed;
  note.diagnostic =
      "a bounce came back that names no recipient in a form machines read; a person has to look at it";
  return note;
}

void log_report(const DeliveryReport& report, const ReportAnswer& answer) {
  const ReportOutcome& outcome = answer.outcome;
  const std::string_view source = kReportSourceNames.text(report.source);
  const std::string_view taken = kReportTakenNames.text(answer.taken);
  if (!outcome.job)
    return log::info("delivery report", {{"source", source},
                                         {"outcome", taken},
                                         {"key", report.key},
                                         {"recipients", report.recipients.size()},
                                         {"traceId", report.trace_id}});
  log::info("delivery report", {{id_field(ChannelKind::mail), to_text(*outcome.job)},
                                {"source", source},
                                {"outcome", taken},
                                {"from", outcome.from},
                                {"status", outcome.to},
                                {"suppressed", outcome.suppressed.size()},
                                {"traceId", report.trace_id}});
}

}  // namespace

std::string dsn_key(std::string_view raw) {
  return "dsn:" + to_hex(sha256(raw));
}

ReportDesk::ReportDesk(ReportBook& book, Metrics& metrics, Wake wake)
    : book_(book), metrics_(metrics), wake_(std::move(wake)) {}

Result<ReportAnswer> ReportDesk::take_dsn(std::string_view raw, std::string key, ReportSource source,
                                          const std::string& trace_id) {
  Dsn dsn = read_dsn(raw);
  if (dsn.kind != DsnKind::report) {
    metrics_.add(Metric::delivery_reports, 1,
                 {std::string(kReportSourceNames.text(source)),
                  std::string(kReportTakenNames.text(ReportTaken::ignored))});
    log::debug("a message that is no delivery report was ignored",
               {{"source", kReportSourceNames.text(source)},
                {"kind", kDsnKindNames.text(dsn.kind)},
                {"traceId", trace_id}});
    ReportAnswer ignored;
    ignored.kind = dsn.kind;
    return ignored;
  }
  if (dsn.recipients.empty()) dsn.recipients.push_back(unreadable());
  DeliveryReport report;
  report.key = std::move(key);
  report.source = source;
  report.references = std::move(dsn.references);
  report.recipients = std::move(dsn.recipients);
  report.trace_id = trace_id;
  return take(report);
}

Result<ReportAnswer> ReportDesk::take(const DeliveryReport& report) {
  auto outcome = book_.take(report);
  // The link died around the commit: the key says whether it happened.
  if (!outcome && outcome.error().kind == ErrorKind::ambiguous) outcome = book_.take(report);
  if (!outcome) return fail(outcome.error().with_context("delivery report"));
  ReportAnswer answer;
  answer.taken = taken_of(outcome->kind);
  answer.outcome = std::move(*outcome);
  answer.recipients = report.recipients;
  metrics_.add(Metric::delivery_reports, 1,
               {std::string(kReportSourceNames.text(report.source)),
                std::string(kReportTakenNames.text(answer.taken))});
  report_reported(answer.outcome, metrics_);
  log_report(report, answer);
  // Also when it was seen before: whoever took it first may have died before it woke anybody.
  if (const LaneId lane = answer.outcome.lane; lane != LaneId{}) wake_({&lane, 1});
  return answer;
}

}  // namespace eilbote
