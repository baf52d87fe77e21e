#include "engine/courier.h"

#include "engine/outcome_report.h"

#include "domain/delivery_codes.h"
#include "domain/suppressed.h"

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

// Both are said to a token or signature that is no longer the right one.
bool refuses_credentials(int status) {
  return status == 401 || status == 403;
}
constexpr Duration kRenewedAfter = std::chrono::seconds{1};

}  // namespace

Courier::~Courier() {
  const MutexLock lock(alive_->mutex);
  alive_->is_over = true;
}

Courier::Courier(MailChannel& mail, WebhookParts webhooks, const Instance& instance, const Clock& clock,
                 Random& random, Metrics& metrics, CourierRules rules,
                 std::function<void(FinishedPtr)> report)
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
  const Epoch epoch = epoch_of(token);
  return [this, epoch] { return instance_.trusted() && instance_.epoch() == epoch; };
}

std::shared_ptr<const Started> Courier::traced(Started started, const std::string& trace_span) const {
  started.trace = trace_attempt(started.claimed, started.trace_id, trace_span, rules_.tracer);
  return std::make_shared<const Started>(std::move(started));
}

void Courier::start(ClaimedJob&& claimed, MailContent&& content) {
  const auto started =
      traced(make_started(std::move(claimed), content, rules_, mail_.route(), clock_), content.trace_span);
  auto suppressed = suppressed_results(content.recipients, content.suppressed_now);
  if (auto result = nobody_left(content.recipients, suppressed))
    return report_(over(*started, with_suppressed(std::move(*result), suppressed)));
  const LeaseToken token = started->claimed.token;
  MailDelivery delivery{started->claimed.job, token, std::move(content), still_mine(token),
                        started->trace.traceparent};
  mail_.deliver(std::move(delivery),
                [this, started, suppressed = std::move(suppressed)](DeliveryResult result) {
                  report_(over(*started, with_suppressed(std::move(result), suppressed)));
                });
}

Credentials Courier::keys_for(const Webhook& webhook, const ClientName& client) {
  if (webhook.service_account_id.empty()) return WebhookKeys{};
  if (webhooks_.credentials == nullptr) return CredentialsRefused{"there are no service accounts here"};
  return webhooks_.credentials->keys_for(webhook.service_account_id, client);
}

void Courier::start(ClaimedJob&& claimed, WebhookContent&& content, bool probe) {
  const auto started =
      traced(make_started(std::move(claimed), content, rules_, probe, clock_), content.trace_span);
  const Job& job = started->claimed.job;
  WebhookChannel::Done finish = [this, started](DeliveryResult result) {
    report_(over(*started, std::move(result)));
  };
  Credentials found = keys_for(content.webhook, job.client);
  if (const auto* refused = std::get_if<CredentialsRefused>(&found))
    return finish(never_sent(Verdict::permanent, code::account_refused, refused->text));
  if (const auto* away = std::get_if<CredentialsUnavailable>(&found)) {
    DeliveryResult later = never_sent(Verdict::deferred, code::secret_unavailable, away->text);
    later.retry_after = away->come_back;
    return finish(std::move(later));
  }
  auto& keys = std::get<WebhookKeys>(found);
  if (const std::string& account = content.webhook.service_account_id; !account.empty())
    finish = [this, account, used = std::make_shared<WebhookKeys>(keys),
              settle = std::move(finish)](DeliveryResult result) {
      if (!refuses_credentials(result.response_code)) return settle(std::move(result));
      again_if_changed(account, std::move(*used), std::move(result), settle);
    };
  const LeaseToken token = started->claimed.token;
  webhooks_.channel->deliver(
      {job, token, std::move(content), std::move(keys), still_mine(token), started->trace.traceparent},
      std::move(finish));
}

// The endpoint does not know these keys. Where others have taken their place meanwhile, the delivery comes again with
// them, and nothing has failed; else what it said stands.
void Courier::again_if_changed(const std::string& account, WebhookKeys used, DeliveryResult result,
                               std::function<void(DeliveryResult)> finish) {
  webhooks_.credentials->refused(
      account, std::move(used),
      [alive = alive_, result = std::move(result), finish = std::move(finish)](bool changed) mutable {
        const MutexLock lock(alive->mutex);
        if (alive->is_over) return;
        if (changed) {
          result.verdict = Verdict::deferred;
          result.error_type = ErrorType::TRANSIENT;
          result.retry_after = kRenewedAfter;
          result.code = code::credentials_renewed;
          result.text = "the endpoint refused the credentials; newer ones are used from now on";
        }
        finish(std::move(result));
      });
}

std::unique_ptr<Finished> Courier::over(const Started& started, DeliveryResult&& result) const {
  auto finished = make_finished(started, std::move(result), clock_, random_);
  report_attempt(*finished, metrics_);
  record_attempt(started, *finished, rules_);
  return finished;
}

void Courier::give_up(ClaimedJob claimed, bool probe) {
  Started never;
  never.claimed = std::move(claimed);
  never.route = never.claimed.job.route;
  never.probe = probe;
  never.broker = rules_.broker;
  never.at = clock_.now();
  never.began = clock_.steady_now();
  report_(over(never, never_sent(Verdict::permanent, code::content_gone,
                                 "its content is not in the database, or does not open with the data key")));
}

void Courier::release_waiting() {
  mail_.release_waiting();
  if (webhooks_.channel != nullptr) webhooks_.channel->release_waiting();
}

std::unique_ptr<Finished> Courier::hand_back(const ClaimedJob& claimed, bool probe) const {
  Started never;
  never.claimed = claimed;
  never.probe = probe;
  never.broker = rules_.broker;
  return over(never, DeliveryResult{});
}

FinishedPtr Courier::put_back(const ClaimedJob& claimed, std::optional<Duration> delay) const {
  auto back = hand_back(claimed, false);
  back->counted = false;
  back->settlement.event.reset();  // it never began: nobody saw a change
  if (!delay) return back;
  back->settlement.decision.delay = delay;
  back->after.next_attempt_at = clock_.now() + *delay;
  return back;
}

}  // namespace eilbote
