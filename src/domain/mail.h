// The content of a mail, as an application hands it in, and the rules it must keep.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/fault.h"
#include "domain/names.h"
#include "domain/retry_policy.h"

namespace eilbote {

struct Mailbox {
  std::string address;  // as given; checked by parse_address
  std::string name;     // display name; empty when there is none
  friend bool operator==(const Mailbox&, const Mailbox&) = default;
};

struct Attachment {
  std::string name;
  std::string content_type;
  std::string content;     // decoded bytes
  std::string content_id;  // empty when there is none
  bool is_inline = false;
};

struct Callback {
  std::string url;
  std::string service_account_id;
};

struct Mail {
  Mailbox from;
  std::vector<Mailbox> to, cc, bcc, reply_to;
  std::string subject;
  std::string text, html;
  std::vector<Attachment> attachments;
  std::vector<std::pair<std::string, std::string>> headers;  // in the order given
  std::map<std::string, std::string> metadata;
  std::vector<std::string> tags;
  std::string campaign_id;
  std::optional<TimePoint> scheduled_for, expires_at;
  std::string group;
  std::string pool;  // empty: kMailPool
  std::optional<Callback> callback;
  std::optional<RetryPolicy> retry;
  OnUncertain on_uncertain = OnUncertain::retry;
};

struct MailLimits {
  std::size_t recipients_max = 1000;
  std::size_t attachments_max = 20;
  std::size_t attachment_bytes_max = 3 * 1024 * 1024;
  std::size_t attachments_bytes_max = 10 * 1024 * 1024;

  friend bool operator==(const MailLimits&, const MailLimits&) = default;
};

// All faults at once; empty when the mail may be accepted. `now` bounds scheduledFor and expiresAt.
std::vector<Fault> check_mail(const Mail& mail, const MailLimits& limits, TimePoint now);

}  // namespace eilbote
