// What an exchange with an endpoint means for the job: how answers and faults are classified, in one place. Pure.
// Used by the webhook channel.
#pragma once

#include <string>

#include "base/time.h"
#include "domain/delivery.h"

namespace eilbote {

// What kept an answer from coming.
enum class ExchangeFault {
  none,          // there is an answer
  not_sent,      // given back before the request began
  busy,          // too much was under way here; nothing was sent
  dns,           // the name has no address
  connect,       // nobody listens there, or it cannot be reached
  tls,           // no trust: certificate, host name, protocol
  timeout,       // the deadline passed
  lost,          // the connection ended before the answer did
  bad_response,  // what came is no HTTP answer, or one beyond all limits
};

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
