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

void wait_for_stop_signal() {
  const sigset_t set = stop_signals();
  int which = 0;
  sigwait(&set, &which);
  // Whoever asks twice does not want to wait for the grace.
  signal(SIGTERM, give_up);
  signal(SIGINT, give_up);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace eilbote
