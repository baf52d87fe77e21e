#include "app/mail_route.h"

#include "app/try_secret.h"
#include "channel/capture.h"
#include "channel/fallback_channel.h"
#include "channel/graph_channel.h"
#include "secrets/secrets.h"

namespace eilbote {
namespace {

// A slot is taken from the start of an attempt until its settle is committed, so there are as many as deliveries may be
// open; with fewer, connections would wait for commits.
int slot_count(const Config& config) {
  int open = 0;
  for (const Pool& pool : config.pools)
    if (pool.code != kWebhookPool) open += pool.concurrency;
  if (!config.smtp_fallback.target.host.empty()) open *= 2;  // a mail may have one of each route
  return std::clamp(open, 256, 65'536);
}

Result<std::unique_ptr<MailChannel>> make_relay(const SmtpOptions& options, std::string_view reference,
                                                SmtpParts parts) {
  if (auto readable = try_secret(parts.secrets, options.secret_ref, reference); !readable)
    return fail(readable.error());
  auto channel = make_smtp_channel(options, parts);
  if (!channel) return fail(channel.error().with_context(options.route));
  return std::move(*channel);
}

Result<std::unique_ptr<MailChannel>> make_graph_route(const Config& config, SecretSource& secrets,
                                                      GraphParts parts, const Clock& clock) {
  // A mail that Graph may have must be asked for there first; a relay that stands in would not know.
  if (!config.smtp_fallback.target.host.empty())
    return fail(ErrorKind::invalid,
                "EILBOTE_SMTP_FALLBACK_URL: the graph route has no fallback; leave it empty, or use "
                "EILBOTE_MAIL_PROVIDER=smtp");
  const GraphOptions& graph = config.graph;
  if (auto ok = try_secret(secrets, graph.client_secret_ref, "EILBOTE_GRAPH_CLIENT_SECRET_REF"); !ok)
    return fail(ok.error());
  if (auto ok = try_secret(secrets, graph.client_certificate_ref, "EILBOTE_GRAPH_CLIENT_CERTIFICATE_REF");
      !ok)
    return fail(ok.error());
  if (!parts.door || parts.drafts == nullptr)
    return fail(ErrorKind::internal, "the graph route was made without its parts");
  return make_graph_channel(graph, std::move(parts.door), *parts.drafts, clock, std::move(parts.sends_from));
}

}  // namespace

Result<std::unique_ptr<HandOverSlots>> open_hand_over_slots(const Config& config) {
  if (config.mail_provider != MailProvider::smtp) return nullptr;
  // Where the boot cannot be read, no mark is believed after a restart.
  const std::string boot = running_boot_id().value_or("");
  return HandOverSlots::open(config.data_dir + "/hand-overs", slot_count(config), boot);
}

Result<std::unique_ptr<MailChannel>> make_mail_route(const Config& config, SmtpParts parts,
                                                     GraphParts graph) {
  if (config.mail_provider == MailProvider::capture)
    return make_capture_channel({config.capture_dir, config.capture_faults == CaptureFaults::by_address},
                                parts.metrics);
  if (config.mail_provider == MailProvider::graph)
    return make_graph_route(config, parts.secrets, std::move(graph), parts.clock);
  auto first = make_relay(config.smtp, "EILBOTE_SMTP_PASSWORD_REF", parts);
  if (!first || config.smtp_fallback.target.host.empty()) return first;
  auto second = make_relay(config.smtp_fallback, "EILBOTE_SMTP_FALLBACK_PASSWORD_REF", parts);
  if (!second) return second;
  BreakerRules rules;
  rules.probe_every = config.breaker_probe;
  return make_fallback_channel(std::move(*first), std::move(*second), rules, parts.clock, parts.metrics);
}

}  // namespace eilbote
