// Receives from RabbitMQ. One thread, `broker-consume`, with a line of its own: consumes the queues, hands messages over as they
// come, and acknowledges what it is told to. At most `prefetch` messages of each queue are out at a time. What is not
// acknowledged when the connection is lost is delivered again by the broker.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/service.h"
#include "ports/transport.h"
#include "transport/ack_book.h"
#include "transport/deaf_check.h"
#include "transport/rabbitmq_line.h"
#include "transport/receive_state.h"

namespace eilbote {

struct RabbitConsumerOptions {
  RabbitEndpoint endpoint;
  std::vector<CarrierQueue> queues;
  int prefetch = 0;
};

class RabbitConsumer {
 public:
  RabbitConsumer(RabbitConsumerOptions options, LinkWatch& watch, Metrics& metrics);
  ~RabbitConsumer() { stop(); }

  void start(std::function<void(std::vector<Arrival>)> arrive);
  // Only asks for it: both of a transport end at the same time.
  void request_stop() { service_.request_stop(); }
  void stop() { service_.stop(); }
  void acknowledge(std::span<const Receipt> receipts);
  const ReceiveState& state() const { return state_; }

 private:
  void run(const std::stop_token& stop);
  Result<void> prepare();
  Result<void> consume(CarrierQueue queue);
  Result<void> serve();
  Result<void> send_acknowledgements();
  Result<bool> take_events();
  Result<void> take(RabbitEvent& event, std::vector<Arrival>& arrivals);
  // The queue is gone. A new connection knows nothing of it.
  tl::unexpected<Error> leave(const std::string& why);
  // Asks the broker about queues that are silent.
  Result<void> check_hearing();

  const RabbitConsumerOptions options_;
  ReceiveState state_;
  std::function<void(std::vector<Arrival>)> arrive_;

  Mutex mutex_;
  std::vector<Receipt> acknowledged_ EILBOTE_GUARDED_BY(mutex_);

  // The thread's own.
  RabbitLine line_;
  AckBook book_;
  DeafCheck hearing_;
  RabbitLine::Steady next_check_{};
  Service service_;
};

}  // namespace eilbote
