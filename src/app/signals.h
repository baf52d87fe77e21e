// The signals that end the server, taken by one thread that waits for them; all other threads have them
// blocked.
#pragma once

namespace eilbote {

// Before any thread is started.
void block_stop_signals();
// Returns at the first SIGTERM or SIGINT. A second one ends the program at once.
void wait_for_stop_signal();

}  // namespace eilbote
