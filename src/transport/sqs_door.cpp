#include "transport/sqs_door.h"

#include <utility>

namespace eilbote {
namespace {

// Ten messages of the largest kind with every quote in them escaped, and some room.
constexpr std::size_t kAnswerBytesMax = 24 * 1024 * 1024;

SqsError fault_in_words(const HttpAnswer& answer, const std::string& host) {
  switch (answer.fault) {
    case ExchangeFault::none:
      return {};
    case ExchangeFault::not_sent:
    case ExchangeFault::busy:
    case ExchangeFault::refused:
      return {SqsFault::not_sent, "nothing was sent to " + host + ": " + answer.detail};
    case ExchangeFault::dns:
      return {SqsFault::not_sent, "the name " + host + " has no address: " + answer.detail};
    case ExchangeFault::connect:
      return {SqsFault::not_sent, host + " cannot be reached: " + answer.detail};
    case ExchangeFault::tls:
      return {SqsFault::not_sent, host + " is not to be trusted: " + answer.detail};
    case ExchangeFault::timeout:
      return {SqsFault::unanswered, host + " did not answer in time: " + answer.detail};
    case ExchangeFault::lost:
    case ExchangeFault::bad_response:
      break;
  }
  return {SqsFault::unanswered, host + " gave no answer: " + answer.detail};
}

SqsAnswer read(HttpAnswer answer, const std::string& host) {
  if (answer.fault != ExchangeFault::none) return {fault_in_words(answer, host), ""};
  if (answer.status != 200)
    return {sqs_error(answer.status, answer.header("x-amzn-query-error"), answer.header("x-amzn-errortype"),
                      answer.body),
            ""};
  if (answer.body_is_cut)
    return {{SqsFault::unanswered, host + " answered more than an SQS queue can hold in ten messages"}, ""};
  return {{}, std::move(answer.body)};
}

}  // namespace

SqsDoor::SqsDoor(SqsDoorOptions options, SqsLoop& loop, const Clock& clock)
    : options_(std::move(options)),
      loop_(loop),
      clock_(clock),
      thread_("sqs-sign", [this](const std::stop_token& stop) { run(stop); }) {}

SqsDoor::~SqsDoor() {
  stop();
}

Result<std::unique_ptr<HttpClient>> SqsDoor::make_client() const {
  HttpClientOptions options;
  options.ca_file = options_.ca_file;
  return make_http_client(std::move(options));
}

Result<void> SqsDoor::start() {
  auto client = make_client();
  if (!client) return tl::unexpected(client.error());
  client_ = std::move(*client);
  thread_.start();
  return {};
}

void SqsDoor::stop() {
  thread_.stop();
  client_.reset();
}

void SqsDoor::call(SqsCall call, Done done) {
  {
    const MutexLock lock(mutex_);
    const Clock::Steady deadline = clock_.steady_now() + call.timeout;
    visits_.push_back({std::move(call), std::move(done), deadline});
  }
  changed_.notify_one();
}

void SqsDoor::drop_calls() {
  {
    const MutexLock lock(mutex_);
    visits_.clear();
    drops_ = true;
  }
  changed_.notify_one();
}

void SqsDoor::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  while (changed_.wait(mutex_, stop, [this]() EILBOTE_REQUIRES(mutex_) {
    return drops_ || !visits_.empty();
  }) && !stop.stop_requested()) {
    if (std::exchange(drops_, false)) {
      const MutexUnlock open(mutex_);
      client_.reset();
      auto client = make_client();
      if (client) client_ = std::move(*client);
      continue;
    }
    Visit visit = std::move(visits_.front());
    visits_.pop_front();
    const MutexUnlock open(mutex_);
    send(std::move(visit));
  }
}

void SqsDoor::answer(const Done& done, SqsAnswer answer) {
  loop_.post([done, answer = std::move(answer)]() mutable { done(std::move(answer)); });
}

void SqsDoor::send(Visit visit) {
  const auto credentials = options_.credentials();
  if (!credentials)
    return answer(
        visit.done,
        {{SqsFault::credentials, "there are no credentials for SQS: " + credentials.error().message}, ""});
  const Duration left = std::chrono::floor<Duration>(visit.deadline - clock_.steady_now());
  if (left <= Duration{} || client_ == nullptr)
    return answer(visit.done, {{SqsFault::not_sent, "there was no time left to ask SQS"}, ""});
  const WebhookUrl& endpoint = options_.endpoint;
  AwsRequest request;
  request.path = endpoint.path_and_query;
  request.body = std::move(visit.call.body);
  request.headers = {
      {"Host", endpoint.route()},
      {"Content-Type", "application/x-amz-json-1.0"},
      {"X-Amz-Target", std::string(kSqsTarget) + std::string(sqs_action_name(visit.call.action))},
      {"x-amzn-query-mode", "true"}};
  sign_for_aws(request, clock_.now(), {options_.region, "sqs"}, *credentials);
  HttpCall call;
  call.method = request.method;
  call.url = endpoint.text();
  call.host = endpoint.host;
  call.host_is_address = endpoint.host_is_address;
  call.port = endpoint.port;
  call.headers = std::move(request.headers);
  call.body = std::move(request.body);
  call.timeout = left;
  call.response_bytes_max = kAnswerBytesMax;
  client_->send(std::move(call), [this, done = std::move(visit.done)](HttpAnswer answered) {
    answer(done, read(std::move(answered), options_.endpoint.route()));
  });
}

}  // namespace eilbote
