#include "app/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>

namespace eilbote {
namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int one : signals)
    sigaddset(&set, one);
  return set;
}

void give_up(int) {
  _exit(130);
}

// Whether this process has a controlling terminal; after a hang-up it has none.
bool has_terminal() {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) ::close(terminal);
  return terminal >= 0;
}

// As under nohup: whoever started it wants it to outlive the terminal.
bool ignores_hang_up() {
  struct sigaction now {};
  return sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() : ends_with_terminal_(has_terminal() && !ignores_hang_up()) {
  const sigset_t all = set_of({SIGTERM, SIGINT, SIGHUP});
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void StopSignals::wait(const std::function<void()>& reload) const {
  const sigset_t all = set_of({SIGTERM, SIGINT, SIGHUP}), stops = set_of({SIGTERM, SIGINT});
  int which = 0;
  while (sigwait(&all, &which) == 0 && which == SIGHUP && (!ends_with_terminal_ || has_terminal()))
    reload();
  // Whoever asks twice does not want to wait for the grace. SIGHUP stays blocked: a stop is not cut short by it.
  signal(SIGTERM, give_up);
  signal(SIGINT, give_up);
  pthread_sigmask(SIG_UNBLOCK, &stops, nullptr);
}

}  // namespace eilbote
