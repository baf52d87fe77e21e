// The rows of the option table about traces: where they go, and which.
#include "config/option_kinds.h"
#include "config/option_sections.h"
#include "domain/otlp_endpoint.h"

namespace eilbote {
namespace {

Result<void> check_endpoint(std::string_view text) {
  if (const auto url = parse_otlp_endpoint(text); !url) return fail(url.error());
  return {};
}

}  // namespace

void add_tracing_options(std::vector<Option>& table) {
  table.push_back({"EILBOTE_OTLP_ENDPOINT", "tracing.otlp_endpoint", "Tracing", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.tracing.endpoint; }, "URL", check_endpoint),
                   "The base address of a receiver of OpenTelemetry traces by OTLP over HTTP "
                   "(`http://collector:4318`); /v1/traces is added. Empty: nothing is traced.",
                   Masked::url_password});
  table.push_back({"EILBOTE_OTLP_HEADERS_REF", "tracing.otlp_headers_ref", "Tracing", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.tracing.headers_ref; }, "reference",
                       kinds::check_secret_reference),
                   "Where the headers are that the receiver wants to see, a token mostly: "
                   "`api-key=abc,X-Tenant=shop`, values percent-encoded."});
  table.push_back({"EILBOTE_OTLP_CA_FILE", "tracing.otlp_ca_file", "Tracing", "",
                   kinds::text(
                       [](Config & c) -> auto& { return c.tracing.ca_file; }, "path"),
                   "Certificates (PEM) to trust for the receiver, instead of the system's."});
  table.push_back({"EILBOTE_TRACE_SAMPLE", "tracing.sample", "Tracing", "1",
                   kinds::decimal(
                       [](Config & c) -> auto& { return c.tracing.sample; }, 0.0, 1.0, "0.0 to 1.0"),
                   "The part of the traces that begin here which is recorded, decided by the trace's id. Of "
                   "a trace that a caller began its sampled flag decides."});
}

}  // namespace eilbote
