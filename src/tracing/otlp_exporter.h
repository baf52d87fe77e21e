// Sends spans to a receiver of OpenTelemetry traces (a collector, Jaeger, Tempo, ...) by OTLP over HTTP, as JSON, from a thread
// of its own, `traces`. Whoever records a span never waits: there is room for so many, and what comes while it is full is
// dropped and counted (eilbote_trace_spans_total). A receiver that is away or hangs costs spans and nothing else. Made by
// app/tracing.cpp.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "domain/webhook_url.h"
#include "ports/secret_source.h"
#include "ports/tracer.h"
#include "tracing/otlp_json.h"

namespace eilbote {

struct Metrics;

struct OtlpOptions {
  WebhookUrl url;           // with its /v1/traces
  std::string ca_file;      // empty: the system's authorities
  std::string headers_ref;  // the secret that otlp_headers.h reads; empty: none
  double sample = 1;        // of the traces that begin here
  TraceResource resource;
  std::size_t spans_max = 8192;                       // that wait; about a kilobyte each
  std::size_t batch_max = 512;                        // in one request
  Duration batch_wait = std::chrono::seconds{1};      // for a batch to fill up
  Duration timeout = std::chrono::seconds{10};        // of one request
  int tries_max = 5;                                  // of one batch
  Duration pause_first = std::chrono::seconds{1};     // after a failed try; twice as long each time
  Duration pause_max = std::chrono::seconds{30};      // whatever the receiver's Retry-After says
  Duration last_words_max = std::chrono::seconds{2};  // how long a stop goes on sending
};

class TraceExporter : public Tracer {
 public:
  // Sends what waits, within `last_words_max`; what is recorded afterwards is dropped. May be called twice.
  virtual void stop() = 0;
};

struct OtlpParts {
  SecretSource& secrets;
  Metrics& metrics;
  const Clock& clock;
  Random& random;
};

// Starts its thread. The parts outlive it. The error is about `ca_file`.
Result<std::unique_ptr<TraceExporter>> make_otlp_exporter(OtlpOptions options, OtlpParts parts);

}  // namespace eilbote
