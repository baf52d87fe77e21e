#include "app/tracing.h"

#include "base/log.h"
#include "domain/otlp_endpoint.h"

namespace eilbote {

Result<std::unique_ptr<TraceExporter>> make_configured_tracer(const TracingConfig& config,
                                                              TraceResource resource, OtlpParts parts) {
  if (config.endpoint.empty()) return std::unique_ptr<TraceExporter>();
  auto url = parse_otlp_endpoint(config.endpoint);
  if (!url) return fail(url.error().with_context("EILBOTE_OTLP_ENDPOINT"));
  OtlpOptions options;
  options.url = std::move(*url);
  options.ca_file = config.ca_file;
  options.headers_ref = config.headers_ref;
  options.sample = config.sample;
  options.resource = std::move(resource);
  log::info("requests and deliveries are traced",
            {{"receiver", options.url.route()}, {"sample", options.sample}});
  auto made = make_otlp_exporter(std::move(options), parts);
  if (!made) return fail(made.error().with_context("EILBOTE_OTLP_CA_FILE"));
  return made;
}

}  // namespace eilbote
