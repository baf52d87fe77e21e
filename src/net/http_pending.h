// A call that was taken in and has no answer yet; handed on as a pointer until it has. Shared by the parts of the HTTP client; included by nobody else.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>

#include "net/http_client.h"

namespace eilbote {

struct HttpPending {
  HttpCall call;
  HttpClient::Done done;
  std::chrono::steady_clock::time_point deadline{};
};

using HttpPendingPtr = std::unique_ptr<HttpPending>;

// Gives a call back with its answer.
using HttpOver = std::function<void(HttpPendingPtr, HttpAnswer&&)>;

inline HttpAnswer http_fault(ExchangeFault fault, std::string detail = {}) {
  HttpAnswer answer;
  answer.fault = fault;
  answer.detail = std::move(detail);
  return answer;
}

inline HttpAnswer refused_by(OutboundRule rule) {
  return http_fault(ExchangeFault::refused, fmt::format("it leads to {}", outbound_rule_text(rule)));
}

enum class HttpDoing { connecting, waiting, reading };
inline std::string late_text(Duration timeout, HttpDoing doing) {
  const char* const words = doing == HttpDoing::connecting ? "connecting"
                            : doing == HttpDoing::waiting  ? "waiting for the answer"
                                                           : "reading the answer";
  return fmt::format("{} ms, while {}",
                     std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count(), words);
}

inline constexpr const char* kKeptConnectionClosed =
    "a kept connection was closed by the other side; nothing is sent twice";

}  // namespace eilbote
