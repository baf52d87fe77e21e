// A real broker, as scenarios need one: RabbitMQ, or an SQS server. They put messages in and take them out as
// a foreign program would, and pull it away. What goes wrong throws std::runtime_error, which fails the test.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "domain/carried_job.h"

namespace eilbote::test {

enum class BrokerKind { rabbitmq, sqs };

class RabbitServer;

class TestBroker {
 public:
  virtual ~TestBroker() = default;

  // What a server is told to use it.
  virtual std::map<std::string, std::string> settings() const = 0;

  virtual void start() = 0;
  virtual void stop() = 0;

  // Publishes these texts as they are.
  virtual void publish(CarrierQueue queue, const std::vector<std::string>& texts) = 0;
  // Takes so many messages out of the queue; waits for them.
  virtual std::vector<std::string> read(CarrierQueue queue, int count) = 0;
  // How many wait, without those that somebody holds.
  virtual std::int64_t depth(CarrierQueue queue) = 0;

  // For what only RabbitMQ can do; they throw elsewhere.
  virtual RabbitServer& rabbit();
  // Where it is, for a foreign program or through a proxy on this port.
  virtual std::string url(std::uint16_t port = 0) const;
};

// Started, with queues that nobody used before; the server is one for the whole test program.
std::unique_ptr<TestBroker> make_test_broker(BrokerKind kind);
// Why there can be none here, in words; empty when there can.
std::string missing_broker(BrokerKind kind);

// tests/node/email_dispatcher.js: what it printed, by lines. Throws when it fails.
std::vector<std::string> email_dispatcher(const std::vector<std::string>& words);

}  // namespace eilbote::test
