// A whole store that measures: its outbox (measured_outbox.h), and every error of its care, its registry, its status feed, its
// drafts and its mailboxes, once, by its kind (store_errors). Made by app/server.cpp, around everything
// else that is put around the store.
#pragma once

#include "base/clock.h"
#include "store/store.h"

namespace eilbote {

struct Metrics;

// `metrics` and `clock` outlive it. `contents` stays as it is: only start and `eilbote rekey` use it, and they say themselves
// what went wrong.
Store make_measured_store(Store real, Metrics& metrics, const Clock& clock);

}  // namespace eilbote
