// A job's place in a trace (W3C trace context): the span it came from, as it is stored with it, the span of each attempt, and
// the header that carries both on to whoever it is delivered to. Pure. Used by the API, the courier and the tracer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.h"

namespace eilbote {

// 32 lower case hex digits, not all of them zero.
bool is_trace_id(std::string_view text);

// The span a job came from, and whether its trace is being recorded.
struct TraceSpan {
  std::string id;  // 16 hex digits
  bool sampled = false;
  friend bool operator==(const TraceSpan&, const TraceSpan&) = default;
};
// As it is stored with the job, beside its trace id: "00f067aa0ba902b7-01".
std::string to_text(const TraceSpan& span);
// Nothing when the text is not of this form: where the job came from is not known.
std::optional<TraceSpan> parse_trace_span(std::string_view text);

// The span of one attempt: no job is claimed twice with the same token, so no two attempts share it.
std::string attempt_span_id(JobId job, LeaseToken token);

// "00-TRACE-SPAN-01". Empty where `trace_id` is none.
std::string traceparent(std::string_view trace_id, const TraceSpan& span);

// Whether a trace is in a sample of this part of all traces (0 to 1). Every instance, asked about the same trace with the same
// part, says the same.
bool in_sample(std::string_view trace_id, double part);

}  // namespace eilbote
