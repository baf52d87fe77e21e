#include "engine/attempt_trace.h"

#include "domain/public_state.h"
#include "domain/traceparent.h"
#include "domain/tsid.h"
#include "engine/finished.h"

namespace eilbote {

AttemptTrace trace_attempt(const ClaimedJob& claimed, const std::string& trace_id,
                           const std::string& trace_span, const Tracer* tracer) {
  if (!is_trace_id(trace_id)) return {};
  const std::optional<TraceSpan> origin = parse_trace_span(trace_span);
  if (tracer == nullptr && origin) return {traceparent(trace_id, *origin), {}, {}, false};
  AttemptTrace trace;
  trace.span_id = attempt_span_id(claimed.job.id, claimed.token);
  if (origin) trace.parent_id = origin->id;
  trace.recorded = tracer != nullptr && (origin ? origin->sampled : tracer->samples(trace_id));
  trace.traceparent = traceparent(trace_id, {trace.span_id, trace.recorded});
  return trace;
}

Span attempt_span(const Started& started, const Finished& finished, const std::string& mail_name) {
  const Attempt& attempt = *finished.settlement.attempt;
  const bool is_mail = finished.after.channel == ChannelKind::mail;
  Span span;
  span.trace_id = started.trace_id;
  span.id = started.trace.span_id;
  span.parent_id = started.trace.parent_id;
  span.name = is_mail ? mail_name : "webhook POST";
  span.kind = SpanKind::client;
  span.begin = attempt.attempted_at;
  span.end = attempt.attempted_at + finished.took;  // the clock may have been set meanwhile
  span.failed = finished.verdict != Verdict::delivered;
  const auto add = [&span](std::string_view name, Span::Value value) {
    span.attributes.emplace_back(name, std::move(value));
  };
  add("eilbote.job_id", to_text(finished.after.id));
  add("eilbote.attempt", std::int64_t{attempt.number});
  add("eilbote.pool", finished.pool);
  add("eilbote.route", finished.route);
  add("eilbote.outcome", std::string(kVerdictNames.text(finished.verdict)));
  add("eilbote.state", public_state_text(finished.after));
  if (finished.after.dead_reason)
    add("eilbote.dead_reason", std::string(kDeadReasonNames.text(*finished.after.dead_reason)));
  if (attempt.smtp_code != 0) add("eilbote.smtp_code", std::int64_t{attempt.smtp_code});
  if (attempt.response_code != 0) add("http.response.status_code", std::int64_t{attempt.response_code});
  if (!finished.settlement.provider_message_id.empty())
    add("eilbote.provider_message_id", finished.settlement.provider_message_id);
  if (!span.failed) return span;
  span.failure = attempt.code;
  add("error.type", attempt.code);
  return span;
}

void record_attempt(const Started& started, const Finished& finished, const CourierRules& rules) {
  if (!started.trace.recorded || !finished.settlement.attempt) return;
  rules.tracer->record(attempt_span(started, finished, rules.mail_span));
}

}  // namespace eilbote
