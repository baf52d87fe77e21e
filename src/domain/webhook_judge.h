// What an exchange with an endpoint means for the job: how answers and faults are classified, in one place. Pure.
// Used by the webhook channel.
#pragma once

#include <string>

#include "base/time.h"
#include "domain/delivery.h"
#include "domain/exchange_fault.h"

namespace eilbote {

struct WebhookExchange {
  ExchangeFault fault = ExchangeFault::none;
  std::string detail;       // of the fault, for people
  int status = 0;           // HTTP; 0: none came
  std::string retry_after;  // the header; empty: none
  std::string body;         // as far as it was read
  bool body_is_cut = false;
};

// `now`: for a Retry-After that is a date.
DeliveryResult judge_webhook(const WebhookExchange& exchange, TimePoint now);

// At most 5,000 characters of well-formed UTF-8 without U+0000, and a word about what was cut.
std::string recorded_body(std::string_view body, bool is_cut);

}  // namespace eilbote
