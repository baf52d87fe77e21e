// Errors as clients see them: RFC 9457 application/problem+json. One table holds every kind of problem there
// is; a problem never carries an address, a subject, a body or a secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/fault.h"
#include "ports/http.h"

namespace eilbote {

enum class ProblemKind {
  invalid_request,
  malformed_json,
  malformed_http,
  unauthenticated,
  invalid_token,
  bad_signature,
  insufficient_scope,
  foreign_client,
  signatures_off,
  not_found,
  method_not_allowed,
  timeout,
  conflict,
  idempotency_conflict,
  gone,
  too_large,
  unsupported_media_type,
  expectation_failed,
  misdirected,
  unknown_pool,
  unknown_account,
  payload_unfit,
  target_refused,
  overloaded,
  header_too_large,
  internal,
  unavailable,
};

struct ProblemRow {
  ProblemKind kind;
  int status;
  std::string_view slug;  // the type is "urn:eilbote:problem:<slug>"
  std::string_view title;
};
const ProblemRow& problem_row(ProblemKind kind);

struct Problem {
  ProblemKind kind = ProblemKind::internal;
  std::string detail;
  std::vector<Fault> errors;
  std::optional<Error> cause{};  // of `internal`: for the log, never for the client

  int status() const { return problem_row(kind).status; }
};

// Where a problem happened: the path (never the query, which may name a recipient) and the trace.
struct ProblemPlace {
  std::string instance;
  std::string trace_id;
};

std::string to_json(const Problem& problem, const ProblemPlace& place);
// With Retry-After where coming back helps.
HttpResponse to_response(const Problem& problem, const ProblemPlace& place);

// For an operation that failed; what was meant is in front of what went wrong.
Problem to_problem(const Error& error);
// The cause, under the trace id that the client is shown. Call::reply and BatchAnswer do it.
void log_cause(const Problem& problem, std::string_view trace_id);
// The words of an `internal` whose reason is in the log.
inline constexpr const char* kFailedInside =
    "the server failed on this request; its log has the reason under this trace id";
// For a status the HTTP server answers itself.
ProblemKind kind_of_status(int status);
// Validation: all faults at once, and a detail that says how many.
Problem invalid(std::vector<Fault> faults);

}  // namespace eilbote
