// Tracer: where spans go, the pieces of a trace that Eilbote itself adds: a request that changed something (api/call.cpp), an
// attempt to deliver (engine/attempt_trace.h). Where nobody wants traces there is none: a null pointer, and nothing is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"

namespace eilbote {

// The numbers are those of OTLP.
enum class SpanKind { server = 2, client = 3 };

struct Span {
  std::string trace_id, id;
  std::string parent_id{};  // empty: the trace begins with it
  std::string name{};
  SpanKind kind = SpanKind::server;
  TimePoint begin{}, end{};
  bool failed = false;
  std::string failure{};  // a code, never a text of somebody else: those may hold addresses
  // Names and values are Eilbote's own: ids, codes, hosts and numbers, nothing of a mail.
  using Value = std::variant<std::string, std::int64_t>;
  std::vector<std::pair<std::string_view, Value>> attributes{};
};

class Tracer {
 public:
  virtual ~Tracer() = default;

  // Whether a trace that begins here is recorded. Of one that came from elsewhere its sampled flag says so.
  virtual bool samples(std::string_view trace_id) const = 0;

  // Of a trace that is recorded. Never blocks, from any thread; where there is no room the span is dropped, and counted.
  virtual void record(Span span) = 0;
};

}  // namespace eilbote
