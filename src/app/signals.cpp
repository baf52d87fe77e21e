#include "app/signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace eilbote {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

void give_up(int) {
  _exit(130);
}

}  // namespace

void block_stop_signals() {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void wait_for_stop_signal(const std::function<bool()>& reload) {
  const sigset_t set = stop_signals();
  int which = 0;
  do
    sigwait(&set, &which);
  while (which == SIGHUP && reload());
  // Whoever asks twice does not want to wait for the grace.
  signal(SIGTERM, give_up);
  signal(SIGINT, give_up);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace eilbote
