// The column trace_id of messages and webhooks: the trace of a job and, behind it, the span it came from where that is known:
// "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01". One column for both, because one that was added later would lie behind
// the mail's bytes, and SQLite would walk through all of them to read it, in every list. Used by both stores.
#pragma once

#include <string>
#include <string_view>

#include "domain/traceparent.h"

namespace eilbote {

inline std::string trace_column(const std::string& trace_id, const std::string& trace_span) {
  return trace_span.empty() ? trace_id : trace_id + "-" + trace_span;
}

struct TraceColumn {
  std::string_view trace_id, trace_span;  // no span: not known
};
// What is not of that form is a trace id, whatever it looks like: clients of the port choose it.
inline TraceColumn read_trace_column(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos || !is_trace_id(text.substr(0, dash)) ||
      !parse_trace_span(text.substr(dash + 1)))
    return {text, {}};
  return {text.substr(0, dash), text.substr(dash + 1)};
}

}  // namespace eilbote
