#include "channel/webhook_channel.h"

#include "base/hide.h"
#include "domain/delivery_codes.h"
#include "domain/webhook_headers.h"
#include "domain/webhook_judge.h"
#include "domain/webhook_request.h"
#include "domain/webhook_url.h"
#include "net/http_client.h"

namespace eilbote {
namespace {

// Enough for the 5,000 characters that go on record, in any script.
constexpr std::size_t kResponseBytesMax = 20 * 1024;

WebhookExchange exchange_of(HttpAnswer& answer) {
  WebhookExchange exchange;
  exchange.fault = answer.fault;
  exchange.detail = std::move(answer.detail);
  exchange.status = answer.status;
  exchange.retry_after = answer.header("retry-after");
  exchange.body = std::move(answer.body);
  exchange.body_is_cut = answer.body_is_cut;
  return exchange;
}

class HttpWebhookChannel final : public WebhookChannel {
 public:
  HttpWebhookChannel(WebhookChannelOptions options, const Clock& clock, std::unique_ptr<HttpClient> client)
      : options_(std::move(options)), clock_(clock), client_(std::move(client)) {}

  void deliver(WebhookDelivery delivery, Done done) override {
    const auto url = parse_webhook_url(delivery.content.webhook.target_url);
    if (!url) return refuse(code::bad_target_url, "targetUrl " + url.error().message, std::move(done));
    // A secret with a line break in it would write headers of its own.
    if (!is_http_header_value(delivery.keys.authorization.reveal()))
      return refuse(code::bad_credentials, "the account's token holds a character that no header may hold",
                    std::move(done));
    HttpCall call = call_of(*url, delivery);
    client_->send(std::move(call),
                  [this, route = url->route(), credentials = std::move(delivery.keys.authorization),
                   done = std::move(done)](HttpAnswer answer) {
                    // An endpoint that repeats its request's headers would put our token on the job's record, where others read it.
                    hide_authorization(answer.body, credentials.reveal());
                    DeliveryResult result = judge_webhook(exchange_of(answer), clock_.now());
                    result.route = route;
                    done(std::move(result));
                  });
  }

  void release_waiting() override { client_->release_waiting(); }

 private:
  // Takes out of the delivery what becomes part of the request.
  HttpCall call_of(const WebhookUrl& url, WebhookDelivery& delivery) const {
    HttpCall call;
    call.url = url.text();
    call.host = url.host;
    call.host_is_address = url.host_is_address;
    call.port = url.port;
    call.timeout = std::chrono::seconds{delivery.content.webhook.timeout_seconds};
    call.response_bytes_max = kResponseBytesMax;
    call.about_to_send = std::move(delivery.still_mine);
    WebhookOccasion occasion;
    occasion.job = delivery.job.id;
    occasion.at = clock_.now();
    occasion.traceparent = std::move(delivery.traceparent);
    occasion.user_agent = options_.user_agent;
    WebhookRequest request =
        make_webhook_request(std::move(delivery.content.webhook), delivery.keys, occasion);
    call.headers = std::move(request.headers);
    call.body = std::move(request.body);
    return call;
  }

  // What should not have been accepted, and will not get better.
  void refuse(const char* code, std::string why, Done done) {
    DeliveryResult result;
    result.verdict = Verdict::permanent;
    result.attempt_status = AttemptStatus::CONNECTION_ERROR;
    result.code = code;
    result.text = std::move(why);
    client_->later([result = std::move(result), done = std::move(done)] { done(result); });
  }

  const WebhookChannelOptions options_;
  const Clock& clock_;
  const std::unique_ptr<HttpClient> client_;  // last: its thread uses the others
};

}  // namespace

Result<std::unique_ptr<WebhookChannel>> make_webhook_channel(WebhookChannelOptions options,
                                                             const Clock& clock) {
  HttpClientOptions http;
  http.ca_file = options.ca_file;
  http.calls_max = options.deliveries_max;
  http.lookup = options.lookup;
  http.plain_by_curl = options.plain_by_curl;
  http.forbids = options.forbids;
  auto client = make_http_client(std::move(http));
  if (!client) return fail(client.error());
  return std::make_unique<HttpWebhookChannel>(std::move(options), clock, std::move(*client));
}

}  // namespace eilbote
