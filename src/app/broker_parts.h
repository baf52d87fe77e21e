// What a broker needs of the configuration: its transport, and what its scheduler is to do. Without a broker the transport is that
// of the database, and nothing is published. Used by the composition root.
#pragma once

#include <memory>

#include "config/config.h"
#include "engine/publisher.h"
#include "ports/secret_source.h"
#include "transport/transport.h"

namespace eilbote {

struct Metrics;

// Not started. `secrets`, `wakeups`, `metrics` and `clock` outlive it. The error names the option.
Result<std::unique_ptr<Transport>> make_configured_transport(const Config& config, SecretSource& secrets,
                                                             WakeUps& wakeups, Metrics& metrics,
                                                             const Clock& clock);

PublisherOptions publisher_options(const Config& config);

// The queues that an instance of this configuration takes jobs from; none where it delivers nothing.
std::vector<CarrierQueue> consumed_queues(const Config& config);

}  // namespace eilbote
