#include "domain/webhook_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>

#include "base/utf8.h"
#include "domain/delivery_codes.h"
#include "domain/json_members.h"
#include "domain/retry_after.h"

namespace eilbote {
namespace {

using std::chrono::seconds;

constexpr std::size_t kBodyCharactersMax = 5000;
constexpr std::string_view kCutMark = "... (truncated)";
constexpr seconds kDefaultDelay{30};
constexpr seconds kAckDelayMin{1}, kAckDelayMax{43'200};
constexpr seconds kBusyDelay{5};

// ---- no answer ----

struct FaultRow {
  ExchangeFault fault;
  Verdict verdict;
  AttemptStatus status;
  const char* code;
  const char* text;
};
constexpr std::array<FaultRow, 8> kFaults{{
    {ExchangeFault::busy, Verdict::deferred, AttemptStatus::CONNECTION_ERROR, code::busy,
     "too many requests are under way"},
    {ExchangeFault::dns, Verdict::transient, AttemptStatus::CONNECTION_ERROR, code::dns_failed,
     "the endpoint's name has no address"},
    {ExchangeFault::connect, Verdict::transient, AttemptStatus::CONNECTION_ERROR, code::connect_failed,
     "the endpoint cannot be reached"},
    {ExchangeFault::tls, Verdict::transient, AttemptStatus::CONNECTION_ERROR, code::tls_failed,
     "no trusted TLS connection to the endpoint"},
    {ExchangeFault::timeout, Verdict::transient, AttemptStatus::TIMEOUT, code::timeout,
     "no complete answer in time"},
    {ExchangeFault::lost, Verdict::transient, AttemptStatus::CONNECTION_ERROR, code::connection_lost,
     "the connection ended before the answer did"},
    {ExchangeFault::refused, Verdict::permanent, AttemptStatus::CONNECTION_ERROR, code::target_refused,
     "requests may not go to this endpoint (see EILBOTE_OUTBOUND_ALLOW)"},
    {ExchangeFault::bad_response, Verdict::transient, AttemptStatus::CONNECTION_ERROR, code::bad_response,
     "the endpoint's answer is not HTTP, or too large"},
}};

DeliveryResult judge_fault(const WebhookExchange& exchange) {
  DeliveryResult result;  // released, unless a row says otherwise
  const auto row = std::find_if(kFaults.begin(), kFaults.end(),
                                [&](const FaultRow& one) { return one.fault == exchange.fault; });
  if (row == kFaults.end()) return result;
  result.verdict = row->verdict;
  result.attempt_status = row->status;
  result.code = row->code;
  result.text = exchange.detail.empty() ? row->text : fmt::format("{}: {}", row->text, exchange.detail);
  if (row->verdict == Verdict::deferred) result.retry_after = kBusyDelay;
  return result;
}

// ---- an answer ----

// What a 2xx asks for with {"ack":false,"delaySeconds":N}.
std::optional<seconds> asked_delay(std::string_view body) {
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || body[start] != '{' || body.find("\"ack\"") == std::string_view::npos)
    return std::nullopt;
  const boost::json::value answer = parse_json(body);
  if (!answer.is_object()) return std::nullopt;
  const auto* ack = answer.get_object().if_contains("ack");
  if (ack == nullptr || !ack->is_bool() || ack->get_bool()) return std::nullopt;
  const auto* delay = answer.get_object().if_contains("delaySeconds");
  if (delay == nullptr || !delay->is_number()) return kDefaultDelay;
  boost::system::error_code trouble;
  const double asked = delay->to_number<double>(trouble);
  const double within =
      std::clamp(asked, static_cast<double>(kAckDelayMin.count()), static_cast<double>(kAckDelayMax.count()));
  return seconds{static_cast<long>(within)};
}

void judge_success(const WebhookExchange& exchange, DeliveryResult& result) {
  result.attempt_status = AttemptStatus::SUCCESS;
  result.verdict = Verdict::delivered;
  if (exchange.body_is_cut) return;
  if (const auto delay = asked_delay(exchange.body)) {
    result.verdict = Verdict::deferred;
    result.retry_after = *delay;
    result.code = code::not_acknowledged;
    result.text =
        fmt::format("the endpoint answered ack:false and asked to come back in {} s", delay->count());
  }
}

void defer(DeliveryResult& result) {
  result.verdict = Verdict::deferred;
  if (!result.retry_after) result.retry_after = kDefaultDelay;
}

void judge_client_error(int status, DeliveryResult& result) {
  result.attempt_status = AttemptStatus::CLIENT_ERROR;
  if (status == 429) return defer(result);
  const bool may_work_later = status == 408 || status == 425;
  result.verdict = may_work_later ? Verdict::transient : Verdict::permanent;
  if (!may_work_later) result.retry_after.reset();
  if (status == 410) result.code = code::endpoint_gone;
}

void judge_server_error(int status, DeliveryResult& result) {
  result.attempt_status = AttemptStatus::SERVER_ERROR;
  if (status == 503 && result.retry_after) return defer(result);
  result.verdict = status == 501 ? Verdict::permanent : Verdict::transient;
  if (status == 501) result.retry_after.reset();
}

// 1xx, 3xx and numbers nobody knows: not ours to follow, and nothing says that it will stay so.
void judge_unknown(DeliveryResult& result) {
  result.attempt_status = AttemptStatus::SERVER_ERROR;
  result.verdict = Verdict::transient;
  result.error_type = ErrorType::UNKNOWN;
  result.retry_after.reset();
}

}  // namespace

std::string recorded_body(std::string_view body, bool is_cut) {
  // Four bytes per character at most, so the rest needs no repair; a character cut in two there is repaired away.
  const std::string_view enough = body.substr(0, (kBodyCharactersMax + 1) * 4);
  std::string text = is_utf8(enough) ? std::string(enough) : repair_utf8(enough);
  std::replace(text.begin(), text.end(), '\0', ' ');
  const std::size_t kept = utf8_prefix(text, kBodyCharactersMax).size();
  if (kept < text.size()) is_cut = true;
  text.resize(kept);
  if (is_cut) text += kCutMark;
  return text;
}

DeliveryResult judge_webhook(const WebhookExchange& exchange, TimePoint now) {
  if (exchange.fault != ExchangeFault::none) return judge_fault(exchange);
  const int status = exchange.status;
  DeliveryResult result;
  result.response_code = status;
  result.response_body = recorded_body(exchange.body, exchange.body_is_cut);
  result.retry_after = parse_retry_after(exchange.retry_after, now);
  if (status >= 200 && status < 300) {
    result.retry_after.reset();
    judge_success(exchange, result);
    return result;
  }
  result.code = http_code(status);
  result.text = fmt::format("the endpoint answered {}", status);
  if (status >= 400 && status < 500)
    judge_client_error(status, result);
  else if (status >= 500 && status < 600)
    judge_server_error(status, result);
  else
    judge_unknown(result);
  return result;
}

}  // namespace eilbote
