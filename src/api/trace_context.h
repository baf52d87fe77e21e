// W3C trace context: taken from the request's traceparent, or made. The trace id follows a message for its
// whole life.
#pragma once

#include <string>
#include <string_view>

#include "base/random.h"

namespace eilbote {

struct TraceContext {
  std::string trace_id;     // 32 hex digits
  std::string span_id;      // 16 hex digits; this request's own, not the caller's
  std::string flags;        // 2 hex digits
  std::string parent_id{};  // the caller's span; empty: the trace begins here

  // Whether the trace is recorded: bit 0, whatever others a later version of the standard adds.
  bool sampled() const;

  std::string traceparent() const { return "00-" + trace_id + "-" + span_id + "-" + flags; }
};

// The caller's trace with a new span; a new trace when the header is absent or malformed.
TraceContext make_trace(std::string_view traceparent, Random& random);

// Fit to be echoed: 1–128 printable ASCII characters.
bool is_request_id(std::string_view text);

}  // namespace eilbote
