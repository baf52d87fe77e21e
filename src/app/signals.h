// The signals that end the server or have it read its configuration again, taken by the one thread that waits for them; all other
// threads have them blocked. `serve` makes one before it starts any thread.
#pragma once

#include <functional>

namespace eilbote {

class StopSignals {
 public:
  // Blocks them, in this thread and in those that it starts.
  StopSignals();

  // Returns at the first SIGTERM or SIGINT; a second one ends the program at once. SIGHUP calls `reload`; it is a stop only where it
  // says that the terminal is gone on which the server was started.
  void wait(const std::function<void()>& reload) const;

 private:
  const bool ends_with_terminal_;
};

}  // namespace eilbote
