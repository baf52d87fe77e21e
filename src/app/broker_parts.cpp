#include "app/broker_parts.h"

#include "app/options.h"
#include "app/role.h"
#include "app/try_secret.h"
#include "secrets/aws_identity.h"

namespace eilbote {

std::vector<CarrierQueue> consumed_queues(const Config& config) {
  if (!config.transport.is_broker() || !delivers(config.role)) return {};
  std::vector<CarrierQueue> queues{CarrierQueue::webhook_send};
  // In triggered mode a mail leaves when it is asked for, and by nothing else.
  if (config.dispatch == DispatchMode::triggered) return queues;
  queues.push_back(CarrierQueue::mail_send);
  if (config.transport.retries_apart) queues.push_back(CarrierQueue::mail_retry);
  return queues;
}

Result<std::unique_ptr<Transport>> make_configured_transport(const Config& config, SecretSource& secrets,
                                                             WakeUps& wakeups, Metrics& metrics,
                                                             const Clock& clock) {
  const TransportConfig& from = config.transport;
  TransportOptions options;
  options.url = from.url;
  options.ca_file = from.ca_file;
  options.retries_apart = from.retries_apart;
  options.prefetch = from.prefetch;
  options.consumes = consumed_queues(config);
  if (auto readable = try_secret(secrets, from.password_ref, "EILBOTE_TRANSPORT_PASSWORD_REF"); !readable)
    return fail(readable.error());
  if (!from.password_ref.empty())
    options.password = [&secrets, reference = from.password_ref] { return secrets.resolve(reference); };
  if (from.is_broker()) options.aws_credentials = make_aws_identity(secret_options(config).aws, clock);
  options.aws_endpoint_url = config.secrets.aws_endpoint_url;
  auto made = make_transport(std::move(options), wakeups, metrics, clock);
  if (!made) return fail(made.error().with_context("EILBOTE_TRANSPORT_URL"));
  return made;
}

PublisherOptions publisher_options(const Config& config) {
  PublisherOptions options;
  options.schedules = schedules(config.role);
  options.mails = config.dispatch == DispatchMode::continuous;
  options.retries_apart = config.transport.retries_apart;
  options.depth_max = config.transport.depth_max;
  options.pending_poll = config.transport.pending_poll;
  options.retry_interval = config.transport.retry_interval;
  return options;
}

}  // namespace eilbote
