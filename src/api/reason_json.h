// Why a mail failed or came back, as clients are shown it: `reason` {code, class, message, hint} in `details.lastError` and with each
// recipient. Computed when it is asked for, from what is on record (domain/smtp_reasons.h).
#pragma once

#include <boost/json/object.hpp>

#include "ports/outbox.h"

namespace eilbote {

// Adds `reason` to the mail's `lastError`, which has its code and class already; nothing where there is none.
void put_reason(boost::json::object& last_error, const JobRecord& record);
// Adds `reason` to what is shown of a recipient; nothing for one that was reached or is yet to be tried.
void put_reason(boost::json::object& shown, const Recipient& recipient, const JobRecord& record);

}  // namespace eilbote
