#include "support/rabbit_world.h"

#include <stdexcept>

namespace eilbote::test {

std::unique_ptr<Transport> RabbitWorld::make(TransportOptions options) {
  if (options.url == TransportOptions{}.url) options.url = server.url(vhost, proxy.port());
  auto made = make_transport(std::move(options), wakeups, metrics, clock);
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

}  // namespace eilbote::test
