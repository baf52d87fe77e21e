#include "api/call.h"

#include "api/route_table.h"
#include "base/ascii.h"
#include "base/log.h"
#include "base/utf8.h"
#include "domain/traceparent.h"
#include "domain/tsid.h"
#include "ports/overload.h"

namespace eilbote {
namespace {

bool is_json_type(std::string_view header) {
  const auto semicolon = header.find(';');
  if (!same_but_for_case(trimmed(header.substr(0, semicolon)), "application/json")) return false;
  while (semicolon != std::string_view::npos && !header.empty()) {
    const auto next = header.find(';');
    header = next == std::string_view::npos ? std::string_view{} : header.substr(next + 1);
    const std::string_view parameter = trimmed(header.substr(0, header.find(';')));
    const auto equals = parameter.find('=');
    if (equals == std::string_view::npos ||
        !same_but_for_case(trimmed(parameter.substr(0, equals)), "charset"))
      continue;
    std::string_view charset = trimmed(parameter.substr(equals + 1));
    if (charset.size() >= 2 && charset.front() == '"') charset = charset.substr(1, charset.size() - 2);
    if (!same_but_for_case(charset, "utf-8")) return false;
  }
  return true;
}

constexpr std::size_t kInstanceMax = 256;

}  // namespace

Call::Call(const ApiContext& api_context, WorkerPool& pool, HttpRequest http_request, Responder respond,
           Random& random)
    : context(api_context),
      request(std::move(http_request)),
      target(split_target(request.target)),
      trace(make_trace(request.header("traceparent"), random)),
      workers_(pool),
      respond_(std::move(respond)),
      started_(context.clock.steady_now()) {
  if (context.tracer != nullptr && trace.parent_id.empty() && context.tracer->samples(trace.trace_id))
    trace.flags = "01";
}

std::string Call::trace_span() const {
  if (context.tracer != nullptr) return to_text(TraceSpan{trace.span_id, trace.sampled()});
  return trace.parent_id.empty() ? "" : to_text(TraceSpan{trace.parent_id, trace.sampled()});
}

ProblemPlace Call::place() const {
  if (route != nullptr && route->names_address()) return {std::string(route->pattern), trace.trace_id};
  return {std::string(utf8_prefix(repair_utf8(target.path), kInstanceMax)), trace.trace_id};
}

std::optional<std::string_view> Call::header(std::string_view name) const {
  for (const auto& [key, value] : request.headers)
    if (same_but_for_case(key, name)) return value;
  return std::nullopt;
}

// Only what may have changed something: probes, scrapes and people who look would drown it.
void Call::record_span(int status) const {
  if (context.tracer == nullptr || route == nullptr || route->method == "GET" || !trace.sampled()) return;
  Span span;
  span.trace_id = trace.trace_id;
  span.id = trace.span_id;
  span.parent_id = trace.parent_id;
  span.name = std::string(route->method) + " " + std::string(route->pattern);
  span.end = context.clock.now();
  span.begin = span.end - std::chrono::duration_cast<Duration>(context.clock.steady_now() - started_);
  span.attributes = {{"http.request.method", std::string(route->method)},
                     {"http.route", std::string(route->pattern)},
                     {"http.response.status_code", std::int64_t{status}}};
  if (job) span.attributes.emplace_back("eilbote.job_id", to_text(*job));
  // A client's own mistakes are no fault of the server.
  span.failed = status >= 500;
  if (span.failed) {
    span.failure = std::to_string(status);
    span.attributes.emplace_back("error.type", span.failure);
  }
  context.tracer->record(std::move(span));
}

void Call::reply(HttpResponse response) {
  response.headers.emplace_back("traceparent", trace.traceparent());
  if (const auto id = request.header("X-Request-ID"); is_request_id(id))
    response.headers.emplace_back("X-Request-ID", std::string(id));
  const std::string name(route == nullptr ? std::string_view("none") : route->name);
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(context.clock.steady_now() - started_);
  context.metrics.add(Metric::http_requests, 1, {name, std::to_string(response.status)});
  context.metrics.observe(Metric::http_request_seconds, std::chrono::duration<double>(took).count(), {name});
  if (log::enabled(log::Level::debug) || response.status >= 500) {
    const log::Fields fields{
        {"route", name}, {"status", response.status}, {"micros", took.count()}, {"traceId", trace.trace_id}};
    response.status >= 500 ? log::warning("request failed", fields) : log::debug("request", fields);
  }
  record_span(response.status);
  respond_(std::move(response));
}

void Call::reply(const Problem& problem) {
  log_cause(problem, trace.trace_id);
  reply(to_response(problem, place()));
}

void Call::reply_json(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  reply(std::move(response));
}

bool Call::try_worker(std::function<void()> work) {
  return workers_.submit([self = shared_from_this(), work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& e) {
      log::error("a request failed by a fault in the server",
                 {{"error", e.what()}, {"traceId", self->trace.trace_id}});
      self->reply(Problem{ProblemKind::internal, kFailedInside, {}});
    }
  });
}

void Call::on_worker(std::function<void()> work) {
  if (try_worker(std::move(work))) return;
  context.metrics.add(Metric::http_overload, 1,
                      {std::string(kOverloadCauseNames.text(OverloadCause::workers))});
  reply(Problem{ProblemKind::overloaded, "too many requests are waiting; try again in a moment", {}});
}

std::optional<Problem> Call::content_type_problem() const {
  if (!is_json_type(request.header("Content-Type")))
    return Problem{
        ProblemKind::unsupported_media_type, "Content-Type must be application/json, in UTF-8", {}};
  if (const auto coding = request.header("Content-Encoding");
      !coding.empty() && !same_but_for_case(coding, "identity"))
    return Problem{ProblemKind::unsupported_media_type,
                   "Content-Encoding must be identity: send the body uncompressed",
                   {}};
  return std::nullopt;
}

}  // namespace eilbote
