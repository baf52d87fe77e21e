// A delivery as it goes over the wire: the envelope with those who still wait, and the body. Pure.
#pragma once

#include <string>

#include "domain/smtp_transaction.h"
#include "net/smtp_session.h"
#include "ports/channel.h"

namespace eilbote {

struct SmtpLetter {
  SmtpEnvelope envelope;
  std::string body;  // as smtp_body() makes it
};
SmtpLetter make_letter(const MailContent& content);

// What a session that could not be had means for the mail that wanted it.
DeliveryResult no_session(const SmtpRouteFault& fault);

// Whether the connection was lost, or its end announced, before anything was decided for any recipient: the mail may go
// over another connection as if nothing had been.
bool is_untouched(const DeliveryResult& result);

}  // namespace eilbote
