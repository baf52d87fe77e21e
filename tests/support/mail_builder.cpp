#include "support/mail_builder.h"

#include <boost/json.hpp>

#include "domain/tsid.h"

namespace eilbote::test {

MailBuilder::MailBuilder(JobId id) {
  job_.id = id;
  job_.client = ClientName{"shop"};
  job_.pool = "mail";
  job_.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  job_.mail.sender = "shop@example.org";
  job_.mail.recipients = {Recipient{RecipientKind::to, "ann@example.org"}};
  job_.mail.mime = "Subject: mail " + to_text(id) + "\r\n\r\nHello.\r\n";
  job_.mail.meta = R"({"subject":"mail"})";
}

MailBuilder& MailBuilder::from_client(const std::string& name) {
  job_.client = ClientName{name};
  return *this;
}

MailBuilder& MailBuilder::in_pool(const std::string& pool) {
  job_.pool = pool;
  return *this;
}

MailBuilder& MailBuilder::keyed(const std::string& key, const std::string& body) {
  job_.idempotency_key = key;
  job_.fingerprint = sha256(body);
  return *this;
}

MailBuilder& MailBuilder::recipient(RecipientKind kind, const std::string& address) {
  if (!has_recipients_) job_.mail.recipients.clear();
  has_recipients_ = true;
  job_.mail.recipients.push_back(Recipient{kind, address});
  return *this;
}

MailBuilder& MailBuilder::tagged(const std::string& tag) {
  job_.mail.tags.push_back(tag);
  write_meta();
  return *this;
}

MailBuilder& MailBuilder::of_campaign(const std::string& campaign) {
  job_.mail.campaign_id = campaign;
  write_meta();
  return *this;
}

MailBuilder& MailBuilder::about(const std::string& key, const std::string& value) {
  job_.mail.metadata[key] = value;
  write_meta();
  return *this;
}

// Tags, campaign, metadata and group are in the meta object as well, as the API writes them: lists recheck their filters on
// the row.
void MailBuilder::write_meta() {
  boost::json::object meta{{"subject", "mail"}};
  if (!job_.mail.tags.empty())
    meta["tags"] = boost::json::array(job_.mail.tags.begin(), job_.mail.tags.end());
  if (!job_.mail.metadata.empty()) meta["metadata"] = boost::json::value_from(job_.mail.metadata);
  if (!job_.group.empty()) meta["group"] = job_.group;
  if (!job_.mail.campaign_id.empty()) meta["campaignId"] = job_.mail.campaign_id;
  job_.mail.meta = boost::json::serialize(meta);
}

MailBuilder& MailBuilder::in_group(const std::string& group, int sequence, GroupMode mode) {
  job_.group = group;
  job_.sequence = sequence;
  job_.group_mode = mode;
  write_meta();
  return *this;
}

MailBuilder& MailBuilder::scheduled_for(TimePoint at) {
  job_.scheduled_for = at;
  return *this;
}

MailBuilder& MailBuilder::expiring_at(TimePoint at) {
  job_.expires_at = at;
  return *this;
}

MailBuilder& MailBuilder::attempts_max(int n) {
  job_.attempts_max = n;
  return *this;
}

MailBuilder& MailBuilder::with_mime(std::string bytes) {
  job_.mail.mime = std::move(bytes);
  return *this;
}

MailBuilder& MailBuilder::with_meta(std::string json) {
  job_.mail.meta = std::move(json);
  return *this;
}

MailBuilder& MailBuilder::with_retry(RetryPolicy policy) {
  job_.mail.retry = std::move(policy);
  return *this;
}

MailBuilder& MailBuilder::on_uncertain(OnUncertain what) {
  job_.mail.on_uncertain = what;
  return *this;
}

MailBuilder& MailBuilder::traced(const std::string& trace_id, const std::string& trace_span) {
  job_.trace_id = trace_id;
  job_.trace_span = trace_span;
  return *this;
}

}  // namespace eilbote::test
