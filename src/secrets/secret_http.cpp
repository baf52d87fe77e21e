#include "secrets/secret_http.h"

#include <future>

#include "base/clock.h"
#include "domain/retry_after.h"
#include "domain/webhook_url.h"

namespace eilbote {
namespace {

// A secret has at most 64 KiB; base64, JSON and what comes with it need more.
constexpr std::size_t kAnswerBytesMax = 512 * 1024;

std::string in_words(const HttpAnswer& answer, const std::string& host) {
  switch (answer.fault) {
    case ExchangeFault::dns:
      return "the name " + host + " has no address: " + answer.detail;
    case ExchangeFault::connect:
      return host + " cannot be reached: " + answer.detail;
    case ExchangeFault::tls:
      return host + " is not to be trusted: " + answer.detail;
    case ExchangeFault::timeout:
      return host + " did not answer in time: " + answer.detail;
    default:
      return host + " gave no answer: " + answer.detail;
  }
}

}  // namespace

FromStore<HttpAnswer> SecretHttp::call_once(const SecretRequest& request) {
  const auto url = parse_webhook_url(request.url);
  if (!url) return trouble(ErrorKind::invalid, "the store's address " + url.error().message);
  if (!client_) {
    HttpClientOptions options;
    options.ca_file = ca_file_;
    auto client = make_http_client(std::move(options));
    if (!client) return tl::unexpected(SecretTrouble{client.error(), {}});
    client_ = std::move(*client);
  }
  HttpCall call;
  call.method = request.method;
  call.url = url->text();
  call.host = url->host;
  call.host_is_address = url->host_is_address;
  call.port = url->port;
  call.headers = request.headers;
  call.body = request.body;
  call.timeout = timeout_;
  call.response_bytes_max = kAnswerBytesMax;
  std::promise<HttpAnswer> arrived;
  client_->send(std::move(call), [&](HttpAnswer answer) { arrived.set_value(std::move(answer)); });
  return arrived.get_future().get();
}

FromStore<HttpAnswer> SecretHttp::call(const SecretRequest& request) {
  auto answer = call_once(request);
  if (answer && answer->fault == ExchangeFault::lost) answer = call_once(request);
  if (!answer) return answer;
  const auto url = parse_webhook_url(request.url);
  if (answer->fault != ExchangeFault::none)
    return trouble(ErrorKind::unavailable, in_words(*answer, url ? url->route() : "the store"));
  if (answer->body_is_cut)
    return trouble(ErrorKind::unavailable, url->route() + " answered more than 512 KiB; that is no secret");
  return answer;
}

Duration pause_asked_for(const HttpAnswer& answer) {
  return parse_retry_after(answer.header("Retry-After"), SystemClock().now()).value_or(Duration{});
}

}  // namespace eilbote
