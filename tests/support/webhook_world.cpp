#include "support/webhook_world.h"

#include <stdexcept>

#include "domain/tsid.h"

namespace eilbote::test {

void NamesByHand::unknown(const std::string& host) {
  const std::lock_guard lock(state_->mutex);
  state_->unknown.insert(host);
}

void NamesByHand::leads_to(const std::string& host, const std::vector<std::string>& addresses) {
  const std::lock_guard lock(state_->mutex);
  state_->addresses[host] = addresses;
}

void NamesByHand::stuck(const std::string& host) {
  const std::lock_guard lock(state_->mutex);
  state_->stuck.insert(host);
}

void NamesByHand::open_all() {
  const std::lock_guard lock(state_->mutex);
  state_->stuck.clear();
  state_->changed.notify_all();
}

int NamesByHand::asked(const std::string& host) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->asked.find(host);
  return found == state_->asked.end() ? 0 : found->second;
}

int NamesByHand::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting;
}

NameLookup NamesByHand::lookup() {
  return [state = state_](const std::string& host) -> tl::expected<Addresses, LookupFault> {
    std::unique_lock lock(state->mutex);
    ++state->asked[host];
    ++state->waiting;
    state->changed.wait(lock, [&] { return !state->stuck.contains(host); });
    --state->waiting;
    if (state->unknown.contains(host)) return tl::unexpected(LookupFault{true, "No such name"});
    Addresses found;
    const auto given = state->addresses.find(host);
    if (given == state->addresses.end()) return Addresses{boost::asio::ip::make_address("127.0.0.1")};
    for (const std::string& address : given->second)
      found.push_back(boost::asio::ip::make_address(address));
    return found;
  };
}

WebhookWorld::WebhookWorld(WebhookChannelOptions options) {
  options.lookup = names.lookup();
  options.plain_by_curl = plain_by_curl;
  auto made = make_webhook_channel(std::move(options), clock_);
  if (!made) throw std::runtime_error(made.error().message);
  channel_ = std::move(*made);
}

WebhookDelivery WebhookWorld::delivery(const std::string& url, int timeout_seconds) {
  WebhookDelivery delivery;
  delivery.job.id = JobId{(std::int64_t{1} << 40) + ++jobs_};
  delivery.job.channel = ChannelKind::webhook;
  delivery.content.id = delivery.job.id;
  Webhook& webhook = delivery.content.webhook;
  webhook.source = "tests";
  webhook.code = "test.done";
  webhook.target_url = url;
  webhook.payload = R"({"n":)" + std::to_string(jobs_) + "}";
  webhook.timeout_seconds = timeout_seconds;
  delivery.still_mine = [] { return true; };
  return delivery;
}

std::future<DeliveryResult> WebhookWorld::deliver(const std::string& url, int timeout_seconds) {
  return deliver(delivery(url, timeout_seconds));
}

std::future<DeliveryResult> WebhookWorld::deliver(WebhookDelivery delivery) {
  auto promise = std::make_shared<std::promise<DeliveryResult>>();
  auto result = promise->get_future();
  channel_->deliver(std::move(delivery),
                    [promise](DeliveryResult done) { promise->set_value(std::move(done)); });
  return result;
}

std::string in_words(const DeliveryResult& result) {
  std::string text(kVerdictNames.text(result.verdict));
  text += " ";
  text += kAttemptStatusNames.text(result.attempt_status);
  if (!result.code.empty()) text += " " + result.code;
  if (result.error_type) text += " " + std::string(kErrorTypeNames.text(*result.error_type));
  if (result.retry_after)
    text += " " +
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*result.retry_after).count()) +
            "s";
  if (result.response_code != 0) text += " " + std::to_string(result.response_code);
  if (!result.response_body.empty()) text += " '" + result.response_body + "'";
  return text;
}

DeliveryResult result_of(std::future<DeliveryResult> result) {
  if (result.wait_for(std::chrono::seconds{30}) != std::future_status::ready)
    throw std::runtime_error("nothing came of the delivery in 30 s");
  return result.get();
}

std::string outcome(std::future<DeliveryResult>& result) {
  if (result.wait_for(std::chrono::seconds{30}) != std::future_status::ready) return "nothing in 30 s";
  return in_words(result.get());
}
std::string outcome(std::future<DeliveryResult>&& result) {
  return outcome(result);
}

}  // namespace eilbote::test
