// The SMTP channel: mails leave through a relay, over a few connections that carry one mail after the other. One thread,
// `smtp`; a coroutine per connection.
//
// Until the relay has been seen to work, one connection tries alone, so that a wrong password is said once and an outage
// costs one mail one attempt: the others are handed back. What a crash leaves behind is in the slots: see
// channel/hand_over_slots.h.
#pragma once

#include <memory>

#include "base/clock.h"
#include "domain/smtp_options.h"
#include "ports/channel.h"

namespace eilbote {

class HandOverSlots;
class SecretSource;
struct Metrics;
struct SmtpHooks;  // channel/smtp_hooks.h: for tests

struct SmtpParts {
  SecretSource& secrets;
  HandOverSlots* slots;  // may be shared by several channels; null: nothing is kept for after a crash
  Metrics& metrics;
  const Clock& clock;
  const SmtpHooks* hooks = nullptr;
};

// Starts the channel's thread. Connects when the first mail comes.
Result<std::unique_ptr<MailChannel>> make_smtp_channel(SmtpOptions options, SmtpParts parts);

}  // namespace eilbote
