#include "engine/courier.h"

namespace eilbote {
namespace {

// Nothing was sent, and the endpoint has nothing to do with it.
DeliveryResult never_sent(Verdict verdict, std::string code, const std::string& text) {
  DeliveryResult result;
  result.verdict = verdict;
  result.attempt_status = AttemptStatus::CONNECTION_ERROR;
  result.code = std::move(code);
  result.text = text;
  return result;
}

}  // namespace

Courier::Courier(MailChannel& mail, WebhookParts webhooks, const Instance& instance, const Clock& clock,
                 Random& random, Metrics& metrics, CourierRules rules, std::function<void(Finished)> report)
    : mail_(mail),
      webhooks_(webhooks),
      instance_(instance),
      clock_(clock),
      random_(random),
      metrics_(metrics),
      rules_(std::move(rules)),
      report_(std::move(report)) {}

// The lease is of the epoch it was claimed under: an instance that had to start anew may not use the old one's.
std::function<bool()> Courier::still_mine(LeaseToken token) const {
  const std::int64_t epoch = token.value() >> 32;
  return [this, epoch] { return instance_.trusted() && instance_.epoch().value() == epoch; };
}

void Courier::start(ClaimedJob claimed, MailContent content) {
  // shared_ptr because std::function wants to be copyable; the callback is the only owner.
  auto started = std::make_shared<const Started>(
      make_started(std::move(claimed), content, rules_, mail_.route(), clock_));
  const LeaseToken token = started->claimed.token;
  MailDelivery delivery{started->claimed.job, token, std::move(content), still_mine(token)};
  mail_.deliver(std::move(delivery), [this, started](const DeliveryResult& result) {
    report_(make_finished(*started, result, clock_, random_, metrics_));
  });
}

Credentials Courier::keys_for(const Webhook& webhook, const ClientName& client) {
  if (webhook.service_account_id.empty()) return WebhookKeys{};
  if (webhooks_.credentials == nullptr) return CredentialsRefused{"there are no service accounts here"};
  return webhooks_.credentials->keys_for(webhook.service_account_id, client);
}

void Courier::start(ClaimedJob claimed, WebhookContent content, bool probe) {
  auto started = std::make_shared<const Started>(make_started(std::move(claimed), content, probe, clock_));
  const Job& job = started->claimed.job;
  const auto finish = [this, started](DeliveryResult result) {
    report_(make_finished(*started, std::move(result), clock_, random_, metrics_));
  };
  Credentials keys = keys_for(content.webhook, job.client);
  if (const auto* refused = std::get_if<CredentialsRefused>(&keys))
    return finish(never_sent(Verdict::permanent, "ACCOUNT_REFUSED", refused->text));
  if (const auto* away = std::get_if<CredentialsUnavailable>(&keys))
    return finish(never_sent(Verdict::deferred, "SECRET_UNAVAILABLE", away->text));
  const LeaseToken token = started->claimed.token;
  WebhookDelivery delivery{job,
                           token,
                           job.attempts + 1,
                           std::move(content),
                           std::move(std::get<WebhookKeys>(keys)),
                           still_mine(token)};
  webhooks_.channel->deliver(std::move(delivery), finish);
}

void Courier::give_up(ClaimedJob claimed, bool probe) {
  Started never;
  never.claimed = std::move(claimed);
  never.route = never.claimed.job.route;
  never.probe = probe;
  never.at = clock_.now();
  never.began = clock_.steady_now();
  report_(make_finished(never,
                        never_sent(Verdict::permanent, "CONTENT_GONE", "its content is not in the database"),
                        clock_, random_, metrics_));
}

void Courier::release_waiting() {
  mail_.release_waiting();
  if (webhooks_.channel != nullptr) webhooks_.channel->release_waiting();
}

Finished Courier::hand_back(const ClaimedJob& claimed, bool probe) const {
  Started never;
  never.claimed = claimed;
  never.probe = probe;
  return make_finished(never, DeliveryResult{}, clock_, random_, metrics_);
}

}  // namespace eilbote
