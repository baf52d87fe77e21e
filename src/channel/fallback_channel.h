// Two routes as one: the second is used while the first is down. Down is a route fault (DNS, connect, banner, a connection
// lost before anything was handed over); what the first refused, or may have taken, never goes to the second.
#pragma once

#include <memory>

#include "base/clock.h"
#include "domain/breaker.h"
#include "ports/channel.h"

namespace eilbote {

struct Metrics;

// Answers from the threads of both channels. While the first is down it is probed when mails come, at the rules' pace.
std::unique_ptr<MailChannel> make_fallback_channel(std::unique_ptr<MailChannel> first,
                                                   std::unique_ptr<MailChannel> second, BreakerRules rules,
                                                   const Clock& clock, Metrics& metrics);

}  // namespace eilbote
