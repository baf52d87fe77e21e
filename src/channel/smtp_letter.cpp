#include "channel/smtp_letter.h"

#include <algorithm>

#include "domain/address.h"
#include "domain/smtp_body.h"

namespace eilbote {
namespace {

// Addresses were checked when the mail was accepted; one that cannot be read any more is refused by the transaction.
std::string on_the_wire(const std::string& address, bool& needs_utf8) {
  const auto parsed = parse_address(address);
  if (!parsed) return "";
  needs_utf8 = needs_utf8 || parsed->needs_smtputf8;
  return parsed->wire();
}

}  // namespace

SmtpLetter make_letter(const MailContent& content) {
  SmtpLetter letter;
  letter.body = smtp_body(content.mime);
  SmtpEnvelope& envelope = letter.envelope;
  envelope.bytes = letter.body.size();
  envelope.sender = on_the_wire(content.sender, envelope.needs_utf8);
  for (std::size_t i = 0; i < content.recipients.size(); ++i) {
    const Recipient& recipient = content.recipients[i];
    if (recipient.status != RecipientStatus::waiting) continue;
    envelope.recipients.push_back({static_cast<int>(i), on_the_wire(recipient.address, envelope.needs_utf8)});
  }
  return letter;
}

DeliveryResult no_session(const SmtpRouteFault& fault) {
  DeliveryResult result;
  result.verdict = fault.verdict;
  result.attempt_status = fault.status;
  result.code = fault.code;
  result.text = fault.text;
  result.smtp_code = fault.reply.code;
  result.enhanced_code = fault.reply.enhanced;
  result.retry_after = fault.retry_after;
  result.alarm = fault.verdict == Verdict::configuration || fault.reply.code >= 500;
  return result;
}

bool is_untouched(const DeliveryResult& result) {
  const bool none_decided =
      std::all_of(result.recipients.begin(), result.recipients.end(),
                  [](const RecipientResult& one) { return one.status == RecipientStatus::waiting; });
  return result.verdict == Verdict::route_fault && none_decided;
}

}  // namespace eilbote
