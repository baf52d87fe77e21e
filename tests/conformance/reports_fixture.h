// Mails that were sent, and reports on them, for the conformance tests of the report book.
#pragma once

#include <string>
#include <vector>

#include "support/outbox_fixture.h"

namespace eilbote::test::reports_fixture {

using A = ReportAction;
using R = RecipientStatus;

inline RecipientReport said(const std::string& address, A action, const std::string& status = "",
                            const std::string& diagnostic = "") {
  return {address, "", action, status, diagnostic};
}

class Reports : public StoreFixture {
 protected:
  // A mail that every recipient was taken of.
  JobId sent(NewJob mail) {
    const std::size_t recipients = mail.mail.recipients.size();
    const JobId id = accepted(std::move(mail));
    Worker one = worker();
    one.settle(all_taken(one.claim_only(), recipients));
    return id;
  }
  JobId sent() { return sent(new_mail().to("a@x.org").to("b@x.org").to("c@x.org")); }
  static Settlement all_taken(const ClaimedJob& claimed, std::size_t recipients) {
    Settlement settlement = settle_sent(claimed);
    settlement.decision.recipients.clear();
    for (std::size_t i = 0; i < recipients; ++i)
      settlement.decision.recipients.push_back({static_cast<int>(i), R::taken, "250 ok"});
    return settlement;
  }

  DeliveryReport about(JobId id, std::vector<RecipientReport> recipients) {
    DeliveryReport report;
    report.key = "dsn:" + std::to_string(++keys_);
    report.references = {{id, "", ""}};
    report.recipients = std::move(recipients);
    report.trace_id = "0af7651916cd43dd8448eb211c80319c";
    return report;
  }
  ReportOutcome take(const DeliveryReport& report) { return must(reports().take(report)); }
  ReportOutcome take(JobId id, const RecipientReport& one) { return take(about(id, {one})); }

  std::vector<R> statuses(JobId id) {
    std::vector<R> all;
    for (const Recipient& recipient : record(id).recipients)
      all.push_back(recipient.status);
    return all;
  }
  std::vector<std::string> suppressed(const std::string& client = "shop") {
    std::vector<std::string> all;
    for (const Suppression& one : must(suppressions().suppressions({.client = ClientName{client}})))
      all.push_back(one.address);
    return all;
  }

 private:
  int keys_ = 0;
};

}  // namespace eilbote::test::reports_fixture
