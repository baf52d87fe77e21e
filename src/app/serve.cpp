#include "app/serve.h"

#include <cstdio>

#include "app/memory.h"
#include "app/server.h"
#include "app/signals.h"
#include "base/log.h"

namespace eilbote {

int serve(const Config& config) {
  set_allocator_for_a_server();
  log::configure(config.log_format, config.log_level);
  block_stop_signals();
  auto server = start_server(config);
  if (!server) {
    std::fprintf(stderr, "eilbote: cannot start: %s\n", server.error().message.c_str());
    return 1;
  }
  std::printf("eilbote ready on %s\n", (*server)->url().c_str());
  std::fflush(stdout);
  wait_for_stop_signal([&] { return (*server)->reload(); });
  log::info("stopping");
  (*server)->stop();
  log::info("stopped");
  return 0;
}

}  // namespace eilbote
