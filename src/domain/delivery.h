// What one attempt to deliver came to, in the words every channel uses. A failed delivery is a value, not an
// Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/names.h"

namespace eilbote {

// The characters that are kept of a text about an error, of a reply, and of a provider's id.
inline constexpr std::size_t kErrorTextMax = 1000;

// delivered      the provider took it (for mail: at least one recipient; see `recipients`)
// deferred       the other side asked to come back later; burns no attempt until the 101st in a row
// transient      failed, may work later; counts
// permanent      failed for good
// route_fault    the way out is broken (DNS, connect, banner); counts, and opens the route's breaker
// configuration  credentials or TLS are wrong; burns nothing, opens the breaker, alarms
// uncertain      handed over, but the answer was lost: `onUncertain` decides
// released       never started (shutdown, breaker opened meanwhile); burns nothing, nothing on record

struct RecipientResult {
  int index = 0;  // into the mail's recipients, in envelope order
  RecipientStatus status = RecipientStatus::waiting;
  std::string reply;
  friend bool operator==(const RecipientResult&, const RecipientResult&) = default;
};

struct DeliveryResult {
  Verdict verdict = Verdict::released;
  AttemptStatus attempt_status = AttemptStatus::SUCCESS;
  std::string code;           // a short name for programs: CAPTURE_WRITE_FAILED, SMTP_451
  std::string text;           // for people; cleaned of NUL and broken UTF-8 before it becomes an outcome
  int smtp_code = 0;          // 0: none
  std::string enhanced_code;  // "4.7.1"
  int response_code = 0;      // HTTP status; 0: none
  std::string response_body;  // HTTP: what came back, cut to what goes on record
  std::string diagnostic;     // more for people than `text` has room for; empty: nothing
  std::optional<Duration> retry_after;
  std::optional<ErrorType> error_type;  // on record; absent: as the verdict says
  std::string provider_message_id;
  std::string route;   // the way it went, where that was not the channel's own; empty: its own
  bool alarm = false;  // a person should look at the route or the sender
  std::vector<RecipientResult> recipients;  // changes only; those not named keep their status
};

}  // namespace eilbote
