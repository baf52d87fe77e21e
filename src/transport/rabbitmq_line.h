// A line to RabbitMQ: makes a connection, has it used, and makes it again whenever it is lost, with growing pauses. What the
// publisher's and the consumer's thread have in common; everything here but the bell belongs to that thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/bell.h"
#include "base/random.h"
#include "metrics/metrics.h"
#include "transport/broker_backoff.h"
#include "transport/rabbitmq_connection.h"

namespace eilbote {

class RabbitLine {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  struct Uses {
    std::function<Result<void>()> prepare;  // a new connection
    std::function<Result<void>()> serve;    // until it is lost (the error tells why) or the thread is to stop
    std::function<void(const std::string&)> lost;  // or could not be made, and why
    std::function<void()> disturbed;               // the bell rang while there is no connection
  };

  // `purpose` is for people: "publishing".
  RabbitLine(RabbitEndpoint endpoint, std::string purpose, LinkWatch& watch, Metrics& metrics);

  // The body of the thread. Before it comes back, it takes leave of the broker; with one that hangs, not for long.
  void run(const std::stop_token& stop, const Uses& uses);

  RabbitConnection& connection() { return *connection_; }
  bool is_stopping() const { return stop_.stop_requested(); }
  // The connection is cut then, whatever it waits for; absent: it may wait.
  void cut_at(std::optional<Steady> due);
  // After this connection, the next one is not made sooner than that.
  void rest_at_least(std::chrono::milliseconds time) { rest_ = time; }
  // Waits for the bell, for the broker, or until then; not so long that a heartbeat is missed.
  void wait(Steady until);

  Bell& bell() { return bell_; }

 private:
  Result<void> connect(const Uses& uses);
  void pause(const Uses& uses);
  // When a call that still waits after the stop is cut: one that does its work has time to end well.
  Steady stop_due() const;

  const RabbitEndpoint endpoint_;
  const std::string purpose_;
  LinkWatch& watch_;
  Metrics& metrics_;
  Bell bell_;
  std::stop_token stop_;
  const Uses* uses_ = nullptr;
  SystemRandom random_;
  BrokerBackoff backoff_;
  LinkSwitch link_;
  TcpDial dial_;
  std::unique_ptr<RabbitConnection> connection_;
  std::atomic<bool> is_prepared_ = false;  // the connection
  bool failed_last_ = false;
  std::chrono::milliseconds rest_{0};
};

}  // namespace eilbote
