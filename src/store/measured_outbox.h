// An outbox that measures: how long each accept (intake_commit_seconds) and each exchange (exchange_seconds) took, and every
// error of any operation, once, by its kind (store_errors). The one place for it, so that nobody who calls the outbox counts
// by hand. Changes no answer.
#pragma once

#include <memory>

#include "base/clock.h"
#include "ports/outbox.h"

namespace eilbote {

struct Metrics;

// `metrics` and `clock` outlive it. Goes around the sealed outbox: sealing is part of what an accept takes.
std::unique_ptr<Outbox> make_measured_outbox(std::unique_ptr<Outbox> real, Metrics& metrics,
                                             const Clock& clock);

}  // namespace eilbote
