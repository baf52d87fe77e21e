// The way out for webhooks, as the configuration asks for it: HTTP, past the outbound gate.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "config/config.h"
#include "net/outbound_gate.h"
#include "ports/channel.h"

namespace eilbote {

struct Metrics;

// All outlive it. The error names the option.
Result<std::unique_ptr<WebhookChannel>> make_webhook_route(const Config& config, std::string user_agent,
                                                           const OutboundGate& gate, Metrics& metrics,
                                                           const Clock& clock);

}  // namespace eilbote
