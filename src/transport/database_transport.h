// The transport without a broker: workers find jobs in the database, and are told that there are some.
#pragma once

#include <memory>

#include "ports/transport.h"
#include "ports/wakeups.h"

namespace eilbote {

// `wakeups` outlives it.
std::unique_ptr<Transport> make_database_transport(WakeUps& wakeups);

}  // namespace eilbote
