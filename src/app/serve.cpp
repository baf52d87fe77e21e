#include "app/serve.h"

#include <cstdio>

#include "app/memory.h"
#include "app/reload.h"
#include "app/server.h"
#include "app/signals.h"
#include "base/log.h"

namespace eilbote {

int serve(const LoadedConfig& loaded, const std::function<LoadedConfig()>& read_again) {
  set_allocator_for_a_server();
  log::configure(loaded.config.log_format, loaded.config.log_level);
  const StopSignals signals;
  auto server = start_server(loaded.config);
  if (!server) {
    std::fprintf(stderr, "eilbote: cannot start: %s\n", server.error().message.c_str());
    return 1;
  }
  std::printf("eilbote ready on %s\n", (*server)->url().c_str());
  std::fflush(stdout);
  ConfigReload reload(loaded, read_again, (*server)->reload_parts());
  signals.wait([&] { reload.run(); });
  log::info("stopping");
  (*server)->stop();
  log::info("stopped");
  return 0;
}

}  // namespace eilbote
