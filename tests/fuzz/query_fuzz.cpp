// Whatever stands behind the question mark of a list, or in a traceparent: filters and cursors within their bounds, faults in
// proper words, and a trace that is always one.
#include "api/list_filter.h"
#include "api/query_fields.h"
#include "api/trace_context.h"
#include "base/random.h"
#include "base/utf8.h"
#include "domain/traceparent.h"
#include "domain/tsid.h"
#include "fuzz/fuzz.h"
#include "fuzz/problem_fault.h"

namespace eilbote::fuzz {
namespace {

std::string filter_fault(std::string_view query, FilterTable table) {
  const auto read = read_query(query, table, ListQuery{});
  if (!read) return problem_fault(read.error());
  if (read->recipient.size() > kFilterTextMax || read->tag.size() > kFilterTextMax ||
      read->webhook.source.size() > kFilterTextMax)
    return "a filter beyond its bound";
  for (const auto& [key, value] : read->metadata)
    if (key.empty() || value.size() > kFilterMetadataMax || !is_utf8(key) || !is_utf8(value))
      return "metadata that no table has";
  return {};
}

std::string page_fault(const std::string& text) {
  std::optional<JobId> before;
  if (set_cursor(before, text).empty() && (!before || !parse_job_id(to_text(*before))))
    return "a cursor that is none";
  std::optional<std::int64_t> number;
  if (set_cursor(number, text).empty() && (!number || *number <= 0)) return "a number that is no cursor";
  int limit = 1;
  if (set_page_limit(limit, text).empty() && (limit < 1 || limit > kPageMax)) return "a page without a bound";
  std::optional<TimePoint> at;
  if (!set_time(at, text).empty()) return {};
  // Milliseconds are written.
  const auto again = parse_rfc3339(to_rfc3339(*at));
  if (!again || *at - *again < Duration{0} || *at - *again >= std::chrono::milliseconds{1})
    return "another time the second time";
  return {};
}

std::string trace_fault(std::string_view header) {
  FixedRandom random{0x0123456789ABCDEF};
  const TraceContext trace = make_trace(header, random);
  if (!is_trace_id(trace.trace_id) || trace.span_id.size() != 16 || trace.flags.size() != 2)
    return "a trace that is none";
  if (!trace.parent_id.empty() && !header.substr(36).starts_with(trace.parent_id)) return "another parent";
  const TraceContext again = make_trace(trace.traceparent(), random);
  if (again.trace_id != trace.trace_id || again.parent_id != trace.span_id ||
      again.sampled() != trace.sampled())
    return "its own traceparent is refused";
  const auto span = parse_trace_span(header);
  return span && to_text(*span) != header ? "another span the second time" : "";
}

}  // namespace

std::string query_fuzz(std::string_view bytes) {
  const Target target = split_target(bytes);
  for (const FilterTable table : {mail_filters(), job_filters()})
    for (const std::string_view query : {std::string_view(target.query), bytes})
      if (std::string fault = filter_fault(query, table); !fault.empty()) return fault;
  if (std::string fault = page_fault(std::string(bytes)); !fault.empty()) return fault;
  return trace_fault(bytes);
}

}  // namespace eilbote::fuzz
