#include "api/problem.h"

#include <fmt/format.h>

#include <array>

#include "base/assert.h"
#include "base/json_escape.h"
#include "base/log.h"

namespace eilbote {
namespace {

using enum ProblemKind;
constexpr std::array kRows{
    ProblemRow{invalid_request, 400, "invalid-request", "The request is not valid"},
    ProblemRow{malformed_json, 400, "malformed-json", "The body is not well-formed JSON"},
    ProblemRow{malformed_http, 400, "malformed-http", "The request is not well-formed HTTP"},
    ProblemRow{unauthenticated, 401, "unauthenticated", "A token is needed"},
    ProblemRow{invalid_token, 401, "invalid-token", "The token cannot be taken"},
    ProblemRow{bad_signature, 401, "bad-signature", "The signature is not right"},
    ProblemRow{insufficient_scope, 403, "insufficient-scope", "The token does not allow this"},
    ProblemRow{foreign_client, 403, "foreign-client", "This belongs to another client"},
    ProblemRow{signatures_off, 403, "signatures-off", "No signature can be checked here"},
    ProblemRow{not_found, 404, "not-found", "There is no such thing here"},
    ProblemRow{method_not_allowed, 405, "method-not-allowed", "This method is not possible here"},
    ProblemRow{timeout, 408, "timeout", "The request took too long to arrive"},
    ProblemRow{conflict, 409, "conflict", "The state of things forbids this"},
    ProblemRow{idempotency_conflict, 409, "idempotency-conflict",
               "The Idempotency-Key belongs to another request"},
    ProblemRow{gone, 410, "gone", "This is no longer here"},
    ProblemRow{too_large, 413, "too-large", "The request is too large"},
    ProblemRow{unsupported_media_type, 415, "unsupported-media-type", "The body must be of another type"},
    ProblemRow{expectation_failed, 417, "expectation-failed", "The expectation cannot be met"},
    ProblemRow{misdirected, 421, "misdirected", "The request names another server"},
    ProblemRow{unknown_pool, 422, "unknown-pool", "There is no such pool"},
    ProblemRow{unknown_account, 422, "unknown-account", "The service account cannot be used"},
    ProblemRow{payload_unfit, 422, "payload-unfit", "The payload does not fit its schema"},
    ProblemRow{target_refused, 422, "target-refused", "Requests may not go there"},
    ProblemRow{overloaded, 429, "overloaded", "Too much is waiting already"},
    ProblemRow{header_too_large, 431, "header-too-large", "The request header is too large"},
    ProblemRow{internal, 500, "internal", "The server failed"},
    ProblemRow{unavailable, 503, "unavailable", "The server cannot do this now"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  return true;
}
static_assert(in_order() && kRows.size() == static_cast<std::size_t>(unavailable) + 1);

void append_member(std::string& out, std::string_view name, std::string_view value) {
  append_json_string(out, name);
  out += ':';
  append_json_string(out, value);
}

}  // namespace

const ProblemRow& problem_row(ProblemKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  EILBOTE_ASSERT(index < kRows.size());
  return kRows[index];
}

std::string to_json(const Problem& problem, const ProblemPlace& place) {
  const ProblemRow& row = problem_row(problem.kind);
  std::string out = "{";
  append_member(out, "type", fmt::format("urn:eilbote:problem:{}", row.slug));
  out += ',';
  append_member(out, "title", row.title);
  out += fmt::format(R"(,"status":{},)", row.status);
  append_member(out, "detail", problem.detail);
  out += ',';
  append_member(out, "instance", place.instance);
  out += ',';
  append_member(out, "traceId", place.trace_id);
  if (!problem.errors.empty()) {
    out += R"(,"errors":[)";
    for (std::size_t i = 0; i < problem.errors.size(); ++i) {
      out += i == 0 ? "{" : ",{";
      append_member(out, "pointer", problem.errors[i].pointer);
      out += ',';
      append_member(out, "detail", problem.errors[i].detail);
      out += '}';
    }
    out += ']';
  }
  out += '}';
  return out;
}

HttpResponse to_response(const Problem& problem, const ProblemPlace& place) {
  HttpResponse response;
  response.status = problem.status();
  response.content_type = "application/problem+json";
  response.body = to_json(problem, place);
  if (problem.kind == overloaded) response.headers.emplace_back("Retry-After", "1");
  if (problem.kind == unavailable) response.headers.emplace_back("Retry-After", "5");
  return response;
}

Problem to_problem(const Error& error) {
  switch (error.kind) {
    case ErrorKind::invalid:
      return {invalid_request, error.message, {}};
    case ErrorKind::not_found:
      return {not_found, error.message, {}};
    case ErrorKind::conflict:
      return {conflict, error.message, {}};
    case ErrorKind::rejected_data:
      return {invalid_request,
              "the database refused a value of the request, such as a text with U+0000; nothing was changed",
              {}};
    case ErrorKind::overloaded:
      return {overloaded, "too much work is waiting; try again in a moment", {}};
    case ErrorKind::unavailable:
      return {unavailable, "the database does not answer; nothing was changed, try again in a moment", {}};
    case ErrorKind::ambiguous:
      return {unavailable,
              "the database's answer was lost: the change may be made or not; look before trying again",
              {}};
    case ErrorKind::internal:
      break;
  }
  return {internal, kFailedInside, {}, error};
}

void log_cause(const Problem& problem, std::string_view trace_id) {
  if (!problem.cause) return;
  log::error("a request failed by a fault in the server", {{"error", problem.cause->message},
                                                           {"file", problem.cause->where.file_name()},
                                                           {"line", problem.cause->where.line()},
                                                           {"traceId", trace_id}});
}

ProblemKind kind_of_status(int status) {
  if (status == 400) return malformed_http;
  for (const ProblemRow& row : kRows)
    if (row.status == status) return row.kind;
  return internal;
}

Problem invalid(std::vector<Fault> faults) {
  std::string detail = faults.size() == 1
                           ? fmt::format("{}: {}", faults[0].pointer, faults[0].detail)
                           : fmt::format("{} faults; errors names each of them", faults.size());
  if (faults.size() == 1 && faults[0].pointer.empty())
    detail = (faults[0].detail.starts_with("must ") ? "the body " : "") + faults[0].detail;
  return {invalid_request, std::move(detail), std::move(faults)};
}

}  // namespace eilbote
