// The webhook channel: a job becomes one signed HTTP request to its endpoint, and the answer a DeliveryResult. No thread per
// delivery: all of them share the HTTP client's one.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "net/name_lookup.h"
#include "net/outbound_gate.h"
#include "ports/channel.h"

namespace eilbote {

struct WebhookChannelOptions {
  std::string ca_file{};               // whom to trust instead of the system's authorities; empty: those
  std::string user_agent = "Eilbote";  // where a job does not name its own
  std::size_t deliveries_max = 50'000;
  NameLookup lookup = look_up_name;  // tests put their own here
  bool plain_by_curl = false;        // for tests: see net/http_client.h
  OutboundForbids forbids{};         // the outbound guard; empty: everything may be connected to
};

// Starts the channel's thread.
Result<std::unique_ptr<WebhookChannel>> make_webhook_channel(WebhookChannelOptions options,
                                                             const Clock& clock);

}  // namespace eilbote
