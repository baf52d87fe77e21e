// Mails and reports for the tests of domain/report_rules.h, and a mail that reports are taken to as a store does it.
#pragma once

#include <string>
#include <vector>

#include "domain/public_state.h"
#include "domain/report_rules.h"

namespace eilbote::test::report_cases {

using A = ReportAction;
using R = RecipientStatus;
using S = JobStatus;

inline Job job_in(S status) {
  Job job;
  job.status = status;
  job.attempts_max = 5;
  job.attempts = 1;
  return job;
}

inline Job uncertain_job() {
  Job job = job_in(S::failed);
  job.dead_reason = DeadReason::Uncertain;
  job.retry_count = 1;
  job.last_error = "the answer was lost";
  return job;
}

// a@x.org, b@x.org, ... with these standings.
inline std::vector<Recipient> standing(std::initializer_list<R> statuses) {
  std::vector<Recipient> recipients;
  for (const R status : statuses) {
    const char name = static_cast<char>('a' + static_cast<char>(recipients.size()));
    recipients.push_back({RecipientKind::to, std::string(1, name) + "@x.org", status, "250 ok"});
  }
  return recipients;
}

inline RecipientReport said(const std::string& address, A action, const std::string& status = "",
                            const std::string& diagnostic = "") {
  return {address, "", action, status, diagnostic};
}

inline DeliveryReport report_with(std::vector<RecipientReport> recipients) {
  DeliveryReport report;
  report.key = "dsn:1";
  report.trace_id = "0af7651916cd43dd8448eb211c80319c";
  report.recipients = std::move(recipients);
  return report;
}

// A mail that reports are taken to, one after the other, as a store does it.
struct Mail {
  Job job;
  std::vector<Recipient> recipients;
  std::vector<StatusEvent> events{};
  std::vector<std::string> suppressed{};
  ReportSource source = ReportSource::dsn;
  std::optional<TimePoint> said_at{};

  ReportDecision take(std::vector<RecipientReport> what) {
    FixedRandom random(0);
    ReportRules rules;
    rules.policy.strategy = RetryStrategy::fixed;
    rules.policy.delay = std::chrono::seconds{90};
    DeliveryReport report = report_with(std::move(what));
    report.source = source;
    report.said_at = said_at;
    const ReportDecision decision = decide_report(job, recipients, report, rules, random);
    if (decision.changes_row) {
      job.status = decision.status;
      job.report = decision.report;
      job.dead_reason = decision.dead_reason;
      job.retry_count = decision.retry_count;
      job.partial = decision.partial;
      job.last_error = decision.last_error;
    }
    for (const RecipientResult& change : decision.recipients) {
      recipients.at(static_cast<std::size_t>(change.index)).status = change.status;
      recipients.at(static_cast<std::size_t>(change.index)).reply = change.reply;
    }
    events.insert(events.end(), decision.events.begin(), decision.events.end());
    suppressed.insert(suppressed.end(), decision.suppress.begin(), decision.suppress.end());
    return decision;
  }
  ReportDecision take(const RecipientReport& one) { return take(std::vector{one}); }

  std::string state() const { return public_state_text(job); }
  std::vector<R> statuses() const {
    std::vector<R> all;
    for (const Recipient& recipient : recipients)
      all.push_back(recipient.status);
    return all;
  }
  std::vector<std::string> moves() const {
    std::vector<std::string> all;
    for (const StatusEvent& event : events)
      all.push_back(event.from + " -> " + event.to + ": " + event.reason);
    return all;
  }
};

}  // namespace eilbote::test::report_cases
