#include "app/webhook_route.h"

#include "channel/webhook_channel.h"
#include "metrics/metrics.h"

namespace eilbote {

Result<std::unique_ptr<WebhookChannel>> make_webhook_route(const Config& config, std::string user_agent,
                                                           const OutboundGate& gate, Metrics& metrics,
                                                           const Clock& clock) {
  WebhookChannelOptions options;
  options.ca_file = config.webhook_ca_file;
  options.user_agent = std::move(user_agent);
  options.forbids = [&gate, &metrics](const auto& host, const auto& address, std::uint16_t port) {
    const auto rule = gate.check(host, address, port);
    if (rule)
      metrics.add(Metric::outbound_refused, 1, {"connect", std::string(kOutboundRuleNames.text(*rule))});
    return rule;
  };
  auto made = make_webhook_channel(std::move(options), clock);
  if (!made) return fail(made.error().with_context("EILBOTE_WEBHOOK_CA_FILE"));
  return made;
}

}  // namespace eilbote
