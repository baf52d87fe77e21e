// A mail as JSON, read into the domain's Mail with all its faults at once: wrong types and unknown fields
// found here, the rules of mail found by check_mail. Nothing of the content is repeated in a fault.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/api.h"
#include "api/problem.h"
#include "domain/mail.h"

namespace eilbote {

struct MailReading {
  Mail mail;
  std::string idempotency_key;     // of a batch item
  std::optional<Problem> problem;  // absent: the mail may be accepted
};

enum class MailPart { message, batch_item };  // an item may carry its idempotencyKey

MailReading read_mail(const boost::json::value& body, MailPart part, const ApiSettings& settings,
                      TimePoint now);

}  // namespace eilbote
