// Builds mails for store tests so that a test reads like a sentence:
//   new_mail().from_client("shop").keyed("order-1001").to("ann@example.org").in_group("orders", 10)
// Every part has a plain default; an id is always given by the caller (StoreFixture::new_mail makes one).
#pragma once

#include <string>

#include "ports/outbox.h"

namespace eilbote::test {

class MailBuilder {
 public:
  explicit MailBuilder(JobId id);

  MailBuilder& from_client(const std::string& name);
  MailBuilder& in_pool(const std::string& pool);
  // The body stands for the request: the same body has the same fingerprint.
  MailBuilder& keyed(const std::string& key, const std::string& body = "the same request");
  // The first recipient named replaces the default one.
  MailBuilder& to(const std::string& address) { return recipient(RecipientKind::to, address); }
  MailBuilder& cc(const std::string& address) { return recipient(RecipientKind::cc, address); }
  MailBuilder& bcc(const std::string& address) { return recipient(RecipientKind::bcc, address); }
  MailBuilder& tagged(const std::string& tag);
  MailBuilder& of_campaign(const std::string& campaign);
  MailBuilder& about(const std::string& key, const std::string& value);  // metadata
  MailBuilder& in_group(const std::string& group, int sequence = 99,
                        GroupMode mode = GroupMode::NEXT_ON_ERROR);
  MailBuilder& blocking_group(const std::string& group, int sequence = 99) {
    return in_group(group, sequence, GroupMode::BLOCK_ON_ERROR);
  }
  MailBuilder& scheduled_for(TimePoint at);
  MailBuilder& expiring_at(TimePoint at);
  MailBuilder& attempts_max(int n);
  MailBuilder& with_mime(std::string bytes);
  MailBuilder& with_meta(std::string json);
  MailBuilder& with_retry(RetryPolicy policy);
  MailBuilder& on_uncertain(OnUncertain what);
  MailBuilder& traced(const std::string& trace_id, const std::string& trace_span = "");

  JobId id() const { return job_.id; }
  operator NewJob() const { return job_; }

 private:
  MailBuilder& recipient(RecipientKind kind, const std::string& address);
  void write_meta();
  NewJob job_;
  bool has_recipients_ = false;
};

}  // namespace eilbote::test
