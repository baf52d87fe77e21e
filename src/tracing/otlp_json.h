// Spans as OTLP's JSON (ExportTraceServiceRequest), and what the receiver says to them. Pure. Used by the exporter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ports/tracer.h"

namespace eilbote {

// Who the spans are of: the resource of all of them.
struct TraceResource {
  std::string version;   // service.version
  std::string instance;  // service.instance.id
};

// Ids in hex, times as texts of nanoseconds, enums as numbers, as OTLP wants them in JSON.
std::string otlp_json(std::span<const Span> spans, const TraceResource& resource);

// How many spans of a request it took the receiver refused (partialSuccess); 0 where it says nothing of the kind.
std::int64_t rejected_spans(std::string_view answer);

}  // namespace eilbote
