#include "channel/graph_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/hide.h"
#include "base/log.h"
#include "base/url_escape.h"
#include "base/uuid.h"
#include "channel/graph_answer.h"
#include "channel/graph_assertion.h"
#include "domain/issuer_url.h"
#include "domain/json_members.h"
#include "domain/retry_after.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

using namespace std::chrono_literals;

constexpr Duration kTokenRenewedBefore = 5min;
// The last moments of a token are not used: it would expire on its way.
constexpr Duration kTokenNotUsedIn = 10s;
constexpr Duration kTokenLifeUnsaid = 5min;
constexpr std::chrono::seconds kTokenLifeMax = 24h;
constexpr Duration kTokenPauseMin = 1s, kTokenPauseMax = 30s;
constexpr std::size_t kTokenAnswerMax = 64 * 1024;
constexpr const char* kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

// A number, or a number as a text.
Duration life_in(const boost::json::value& answer) {
  std::int64_t seconds = number_at(answer, {"expires_in"}).value_or(0);
  if (const std::string text = text_at(answer, {"expires_in"}); !text.empty())
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (seconds <= 0) return kTokenLifeUnsaid;
  return std::chrono::seconds{std::min<std::int64_t>(seconds, kTokenLifeMax.count())};
}

// What may stand in a header, in one word.
bool is_token_text(std::string_view text) {
  return !text.empty() && is_printable_ascii(text) && text.find(' ') == std::string_view::npos;
}

// The endpoint's own trouble, or the way's, passes; what it says about the application does not.
bool passes(int status, std::string_view code) {
  return status < 400 || status >= 500 || status == 408 || status == 425 || status == 429 ||
         code == "temporarily_unavailable";
}

}  // namespace

Result<std::unique_ptr<GraphToken>> GraphToken::make(const GraphOptions& options, SecretSource& secrets,
                                                     HttpClient& client, Metrics& metrics,
                                                     const Clock& clock) {
  auto url = parse_issuer_url(options.token_url);
  if (!url) return fail(url.error().with_context("the address of Graph's token endpoint"));
  return std::unique_ptr<GraphToken>(
      new GraphToken(options, std::move(*url), secrets, client, metrics, clock));
}

GraphToken::GraphToken(const GraphOptions& options, WebhookUrl url, SecretSource& secrets, HttpClient& client,
                       Metrics& metrics, const Clock& clock)
    : options_(options),
      url_(std::move(url)),
      secrets_(secrets),
      client_(client),
      metrics_(metrics),
      clock_(clock) {
  // Whoever watches for the first refusal must have seen none before.
  for (const char* const outcome : {"ok", "refused", "failed"})
    metrics_.add(Metric::graph_token_requests, 0, {outcome});
}

void GraphToken::stop() {
  const MutexLock lock(life_->mutex);
  life_->is_over = true;
}

void GraphToken::get(Done done) {
  const auto now = clock_.steady_now();
  const bool may_ask = !attempt_ && now >= not_before_;
  if (held_ && now < held_->usable_until) {
    const Answer answer = held_->token;
    if (now >= held_->renew_at && may_ask) begin();
    return done(answer);
  }
  held_.reset();
  if (!attempt_ && !may_ask && last_failure_) return done(tl::unexpected(*last_failure_));
  waiting_.push_back(std::move(done));
  if (!attempt_) begin();
}

void GraphToken::refused(const Secret& token) {
  if (held_ && held_->token.is_same_as(token)) held_.reset();
}

// ---- one way to a token ----

const std::string& GraphToken::proof_ref() const {
  return options_.client_certificate_ref.empty() ? options_.client_secret_ref
                                                 : options_.client_certificate_ref;
}

void GraphToken::begin() {
  attempt_.emplace();
  if (const auto known = secrets_.at_hand(proof_ref())) return on_proof(*known);
  // It is being fetched for the first time.
  renew_proof([this](const Result<Secret>& proof) { on_proof(proof); });
}

// The answer may come at once, from another thread, or after this is gone.
void GraphToken::renew_proof(std::function<void(Result<Secret>)> then) {
  secrets_.renew(proof_ref(),
                 [life = life_, &client = client_, then = std::move(then)](Result<Secret> proof) {
                   const MutexLock lock(life->mutex);
                   if (life->is_over) return;  // and the client with it
                   client.later([then, proof = std::move(proof)] { then(proof); });
                 });
}

void GraphToken::on_proof(const Result<Secret>& proof) {
  if (!proof) {
    GraphTokenFailure failure;
    failure.text = "no token can be asked for: " + proof.error().message;
    failure.configuration =
        proof.error().kind != ErrorKind::unavailable && proof.error().kind != ErrorKind::overloaded;
    return fail_all(std::move(failure));
  }
  attempt_->proof = *proof;
  ask();
}

void GraphToken::ask() {
  auto body = form();
  if (!body) {
    GraphTokenFailure failure;
    failure.text = "no token can be asked for: " + body.error().message;
    failure.configuration = true;
    return fail_all(std::move(failure));
  }
  HttpCall call;
  call.method = "POST";
  call.url = url_.text();
  call.host = url_.host;
  call.host_is_address = url_.host_is_address;
  call.port = url_.port;
  call.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  call.body = std::move(*body);
  call.timeout = options_.timeout;
  call.response_bytes_max = kTokenAnswerMax;
  client_.send(std::move(call), [this](HttpAnswer answer) { on_answer(std::move(answer)); });
}

Result<std::string> GraphToken::form() {
  std::string body = "grant_type=client_credentials&client_id=" + url_escaped(options_.client_id) +
                     "&scope=" + url_escaped(options_.scope);
  if (options_.client_certificate_ref.empty()) {
    attempt_->shown = attempt_->proof;
    return body + "&client_secret=" + url_escaped(attempt_->shown.reveal());
  }
  // Also of one that is not good any more: that is when it is looked for.
  if (const auto expiry = client_certificate_expiry(attempt_->proof))
    metrics_.set_time(Metric::credential_expires, *expiry, {"graph_certificate"});
  auto assertion = make_client_assertion(
      attempt_->proof, {options_.client_id, options_.token_url, random_uuid()}, clock_.now());
  if (!assertion) return fail(assertion.error());
  attempt_->shown = std::move(*assertion);
  return body + "&client_assertion_type=" + url_escaped(kAssertionType) +
         "&client_assertion=" + url_escaped(attempt_->shown.reveal());
}

void GraphToken::on_answer(HttpAnswer answer) {
  // A kept connection that the other side closed; nothing is lost by asking again.
  if (answer.fault == ExchangeFault::lost && !attempt_->was_lost) {
    attempt_->was_lost = true;
    return ask();
  }
  if (answer.fault == ExchangeFault::none && answer.status == 200) {
    const auto body = parse_json(answer.body);
    std::string token = text_at(body, {"access_token"});
    wipe(answer.body);
    if (is_token_text(token)) return take(Secret(std::move(token)), life_in(body));
  }
  GraphTokenFailure failure = failure_of(answer);
  if (failure.code != "invalid_client" || attempt_->has_new_proof) return fail_all(std::move(failure));
  // It may have been changed while we held the old one.
  attempt_->has_new_proof = true;
  renew_proof([this, failure](const Result<Secret>& proof) { on_new_proof(proof, failure); });
}

void GraphToken::on_new_proof(const Result<Secret>& proof, GraphTokenFailure refusal) {
  if (!proof || proof->is_same_as(attempt_->proof)) return fail_all(std::move(refusal));
  log::info("the secret of the Graph application was refused and has changed; trying the new one");
  attempt_->proof = *proof;
  ask();
}

// ---- what came of it ----

void GraphToken::take(Secret token, Duration life) {
  const auto now = clock_.steady_now();
  held_ = Held{token, now + life - std::min(kTokenRenewedBefore, life / 2),
               now + life - std::min(kTokenNotUsedIn, life / 10)};
  if (failures_ > 0) log::info("Microsoft Graph's token endpoint gives tokens again");
  failures_ = 0;
  not_before_ = {};
  last_failure_.reset();
  metrics_.add(Metric::graph_token_requests, 1, {"ok"});
  answer_all(token);
}

GraphTokenFailure GraphToken::failure_of(const HttpAnswer& answer) const {
  GraphTokenFailure failure;
  failure.fault = answer.fault;
  if (answer.fault != ExchangeFault::none) {
    failure.text = "no token: " + exchange_fault_text(answer, url_.route());
    return failure;
  }
  failure.status = answer.status;
  failure.retry_after = parse_retry_after(answer.header("Retry-After"), clock_.now());
  if (answer.status == 200) {
    failure.text = "no token: the answer of " + url_.route() + " has none in it";
    return failure;
  }
  // Endpoints repeat what they were told, and what they say is kept and shown.
  std::string body = answer.body;
  hide(body, attempt_->shown.reveal());
  hide(body, url_escaped(attempt_->shown.reveal()));
  hide_authorization(body, attempt_->shown.reveal());
  GraphTrouble trouble = read_graph_trouble(parse_json(body), body, answer.status);
  failure.code = std::move(trouble.code);
  failure.configuration = !passes(answer.status, failure.code);
  failure.text = fmt::format("no token: {} says {}", url_.route(), trouble.text);
  return failure;
}

void GraphToken::fail_all(GraphTokenFailure failure) {
  // Given back when the server stops: nobody's fault.
  if (failure.fault != ExchangeFault::not_sent) {
    metrics_.add(Metric::graph_token_requests, 1, {failure.configuration ? "refused" : "failed"});
    const bool is_news = !last_failure_ || last_failure_->configuration != failure.configuration;
    if (is_news) log::error("no token for Microsoft Graph", {{"error", failure.text}});
    const Duration pause = std::min(kTokenPauseMax, kTokenPauseMin * (1 << std::min(failures_, 10)));
    ++failures_;
    not_before_ = clock_.steady_now() + std::max(pause, failure.retry_after.value_or(Duration{0}));
    last_failure_ = failure;
  }
  answer_all(tl::unexpected(std::move(failure)));
}

void GraphToken::answer_all(const Answer& answer) {
  attempt_.reset();
  const auto waiting = std::exchange(waiting_, {});
  for (const Done& done : waiting)
    done(answer);
}

}  // namespace eilbote
