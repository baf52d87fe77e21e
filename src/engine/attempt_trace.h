// An attempt in its job's trace: the header it takes along, and the span that tells of it. Used by the courier and,
// for attempts of a process that died, by the orphan desk.
#pragma once

#include <string>

#include "ports/outbox.h"
#include "ports/tracer.h"

namespace eilbote {

struct CourierRules;
struct Finished;
struct Started;

struct AttemptTrace {
  std::string traceparent;         // for whoever it is delivered to; empty: the job has no trace
  std::string span_id, parent_id;  // parent_id empty: not known
  bool recorded = false;           // it becomes a span
};
// Where the job came from says whether it is recorded; where nobody knows, `tracer` does. Without a tracer no attempt is a span,
// so the span the job came from goes on as it is.
AttemptTrace trace_attempt(const ClaimedJob& claimed, const std::string& trace_id,
                           const std::string& trace_span, const Tracer* tracer);

// Of a recorded attempt that is on record. `mail_name`: what it is called when it was a mail's.
Span attempt_span(const Started& started, const Finished& finished, const std::string& mail_name);

// Hands the span to the tracer, if the attempt is recorded and went on record.
void record_attempt(const Started& started, const Finished& finished, const CourierRules& rules);

}  // namespace eilbote
