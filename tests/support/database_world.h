// Transports that are the wake-ups of a PostgreSQL database.
#pragma once

#include <list>

#include "metrics/metrics.h"
#include "support/transport_world.h"

namespace eilbote::test {

class DatabaseWorld final : public TransportWorld {
 public:
  DatabaseWorld();
  std::unique_ptr<Transport> make(TransportOptions options = {}) override;

 private:
  const std::string url_;
  Metrics metrics_;
  SystemClock clock_;
  std::list<std::unique_ptr<WakeUps>> wakeups_;  // one per transport, as each instance has its own
};

}  // namespace eilbote::test
