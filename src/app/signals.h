// The signals that end the server, taken by one thread that waits for them; all other threads have them
// blocked.
#pragma once

#include <functional>

namespace eilbote {

// Before any thread is started.
void block_stop_signals();
// Returns at the first SIGTERM or SIGINT. A second one ends the program at once. SIGHUP calls `reload`, which says whether there is
// something to reload; else it is a stop, as when the terminal is gone.
void wait_for_stop_signal(const std::function<bool()>& reload);

}  // namespace eilbote
