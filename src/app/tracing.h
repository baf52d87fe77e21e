// The way out for traces, as the configuration asks for it. Used by the composition root.
#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "tracing/otlp_exporter.h"

namespace eilbote {

// Null: nothing is traced. The parts outlive it. The error names the option.
Result<std::unique_ptr<TraceExporter>> make_configured_tracer(const TracingConfig& config,
                                                              TraceResource resource, OtlpParts parts);

}  // namespace eilbote
