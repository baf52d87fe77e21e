// Jobs travel by Amazon SQS: one queue per CarrierQueue, standard or FIFO, found by name and made where they are missing.
// Threads: `sqs` (everything but signing), `sqs-sign`, and the HTTP client's. Called by make_transport for sqs:// URLs.
#pragma once

#include <memory>

#include "transport/sqs_timing.h"
#include "transport/transport.h"

namespace eilbote {

// Checks the URL, the endpoint and that there is somebody to ask for credentials; connects later. `wakeups`, `metrics` and
// `clock` outlive it.
Result<std::unique_ptr<Transport>> make_sqs_transport(TransportOptions options, WakeUps& wakeups,
                                                      Metrics& metrics, const Clock& clock);
// The same with other times; for tests.
Result<std::unique_ptr<Transport>> make_sqs_transport(TransportOptions options, WakeUps& wakeups,
                                                      Metrics& metrics, const Clock& clock,
                                                      const SqsTiming& timing);

}  // namespace eilbote
