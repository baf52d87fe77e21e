#include "store/suppressed_recipients.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "domain/delivery.h"
#include "domain/report_rules.h"
#include "store/report_rows.h"

namespace eilbote {
namespace {

// What the recipient's record says, for people: "suppressed: it bounced on 2026-11-18 (5.1.1 no such user)".
std::string reply_of(TimePoint since, std::string_view reason) {
  const std::string day = to_rfc3339(since).substr(0, 10);
  if (!reason.starts_with(kBouncedReason)) return fmt::format("suppressed since {}: {}", day, reason);
  reason.remove_prefix(kBouncedReason.size());
  if (reason.starts_with(": ")) reason.remove_prefix(2);
  return fmt::format("suppressed: it bounced on {}{}", day,
                     reason.empty() ? "" : fmt::format(" ({})", reason));
}

}  // namespace

void SuppressedRecipients::ask(std::int32_t client, const MailContent& mail) {
  clients_[mail.id] = client;
  for (const Recipient& recipient : mail.recipients)
    if (recipient.status == RecipientStatus::waiting)
      wanted_.emplace(client, normal_address(recipient.address));
}

void SuppressedRecipients::found(std::int32_t client, std::string_view address, TimePoint since,
                                 std::string_view reason) {
  replies_[{client, std::string(address)}] = utf8_prefix(reply_of(since, reason), kErrorTextMax);
}

void SuppressedRecipients::mark(MailContent& mail) const {
  const auto client = clients_.find(mail.id);
  if (client == clients_.end() || replies_.empty()) return;
  for (std::size_t i = 0; i < mail.recipients.size(); ++i) {
    Recipient& recipient = mail.recipients[i];
    if (recipient.status != RecipientStatus::waiting) continue;
    const auto reply = replies_.find({client->second, normal_address(recipient.address)});
    if (reply == replies_.end()) continue;
    recipient.status = RecipientStatus::suppressed;
    recipient.reply = reply->second;
    mail.suppressed_now.push_back(static_cast<int>(i));
  }
}

}  // namespace eilbote
