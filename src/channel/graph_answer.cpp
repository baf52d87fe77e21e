#include "channel/graph_answer.h"

#include <fmt/format.h>

#include <array>

#include "base/ascii.h"
#include "base/utf8.h"
#include "domain/json_members.h"
#include "domain/retry_after.h"

namespace eilbote {
namespace {

namespace json = boost::json;

constexpr std::size_t kTroubleTextMax = 500, kTroubleCodeMax = 100;
constexpr int kInnerErrorsMax = 8;

// Both spellings are seen.
const json::value* inner_error(const json::value& error) {
  for (const std::string_view name : {"innerError", "innererror"})
    if (const json::value* inner = member_at(error, {name}); inner != nullptr && inner->is_object())
      return inner;
  return nullptr;
}

// The outermost one that is said: it is the one Microsoft documents, and what Outlook says is specific there.
std::string nearest_text(const json::value& error, std::string_view name) {
  const json::value* at = &error;
  for (int depth = 0; at != nullptr && depth < kInnerErrorsMax; ++depth, at = inner_error(*at))
    if (std::string text = text_at(*at, {name}); !text.empty()) return text;
  return {};
}

}  // namespace

GraphTrouble read_graph_trouble(const json::value& body, std::string_view raw, int status) {
  GraphTrouble trouble;
  const json::value* const error = member_at(body, {"error"});
  if (error != nullptr && error->is_object()) {
    trouble.code = nearest_text(*error, "code");
    trouble.text = nearest_text(*error, "message");
    trouble.request_id = nearest_text(*error, "request-id");
  } else if (error != nullptr && error->is_string()) {
    trouble.code = as_text(*error);
    trouble.text = text_at(body, {"error_description"});
  } else {
    trouble.text = trimmed(raw);
  }
  trouble.request_id = clean_request_id(trouble.request_id);
  trouble.code = clean_peer_text(trouble.code, kTroubleCodeMax);
  trouble.text = clean_peer_text(trimmed(trouble.text), kTroubleTextMax);
  if (trouble.text.empty())
    trouble.text = trouble.code.empty() ? fmt::format("HTTP {} without a word", status) : trouble.code;
  return trouble;
}

std::string clean_request_id(std::string_view text) {
  return clean_peer_text(text, kTroubleCodeMax);
}

std::string exchange_fault_text(const HttpAnswer& answer, const std::string& host) {
  const auto with = [&](std::string what) {
    return answer.detail.empty() ? what : what + ": " + answer.detail;
  };
  switch (answer.fault) {
    case ExchangeFault::none:
      break;
    case ExchangeFault::not_sent:
      return with("given back before the request to " + host + " began");
    case ExchangeFault::busy:
      return with("too many requests are under way here; nothing was sent to " + host);
    case ExchangeFault::dns:
      return with("the name " + host + " has no address");
    case ExchangeFault::connect:
      return with(host + " cannot be reached");
    case ExchangeFault::tls:
      return with(host + " is not to be trusted");
    case ExchangeFault::timeout:
      return with(host + " did not answer in time");
    case ExchangeFault::lost:
      return with("the connection to " + host + " ended before the answer did");
    case ExchangeFault::refused:
      return with("nothing is sent to " + host);
    case ExchangeFault::bad_response:
      return with("what came from " + host + " is no answer");
  }
  return {};
}

GraphAnswer read_graph_answer(HttpAnswer answer, const std::string& host, TimePoint now) {
  GraphAnswer read;
  read.fault = answer.fault;
  if (answer.fault != ExchangeFault::none) {
    read.text = exchange_fault_text(answer, host);
    return read;
  }
  read.status = answer.status;
  read.request_id = clean_request_id(answer.header("request-id"));
  read.retry_after = parse_retry_after(answer.header("Retry-After"), now);
  if (!read.ok()) {
    GraphTrouble trouble = read_graph_trouble(parse_json(answer.body), answer.body, answer.status);
    read.code = std::move(trouble.code);
    read.text = std::move(trouble.text);
    if (read.request_id.empty()) read.request_id = std::move(trouble.request_id);
  } else if (answer.body_is_cut) {
    // Half a document tells nothing that can be relied on, not even that it is what was asked for.
    read.fault = ExchangeFault::bad_response;
    read.status = 0;
    read.text =
        fmt::format("{} answered more than the {} bytes that were to be read", host, answer.body.size());
    return read;
  }
  read.body = std::move(answer.body);
  return read;
}

}  // namespace eilbote
