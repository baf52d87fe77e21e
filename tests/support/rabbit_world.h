// Transports on the test program's RabbitMQ, in a virtual host of their own, through a proxy that can cut the way.
#pragma once

#include "metrics/metrics.h"
#include "support/rabbit_server.h"
#include "support/silent_wakeups.h"
#include "support/tcp_proxy.h"
#include "support/transport_world.h"

namespace eilbote::test {

class RabbitWorld final : public TransportWorld {
 public:
  RabbitWorld() : vhost(server.new_vhost()), proxy(server.port(), Proxied::bytes) {}

  // By the proxy, unless the options name a URL.
  std::unique_ptr<Transport> make(TransportOptions options = {}) override;
  bool has_trouble() const override { return true; }
  void trouble() override { proxy.refuse(true); }
  void recover() override { proxy.refuse(false); }

  RabbitServer& server = RabbitServer::shared();
  const std::string vhost;
  TcpProxy proxy;
  Metrics metrics;
  SystemClock clock;
  SilentWakeUps wakeups;
};

}  // namespace eilbote::test
