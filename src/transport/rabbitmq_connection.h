// One connection to RabbitMQ: librabbitmq's state behind an object that belongs to one thread. Opening, login and declaring
// wait, each at most `patience`; publishing and acknowledging wait only for the socket to take the bytes (the caller has it
// watched: link_watch.h); reading does not wait at all. Any error means that the connection is of no use any more.
// Used by the publisher and the consumer, which each have their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "transport/amqp_url.h"
#include "transport/link_watch.h"
#include "transport/tcp_dial.h"

namespace eilbote {

struct RabbitEndpoint {
  AmqpUrl url;
  std::function<Result<Secret>()> password;  // empty: the URL's
  std::string ca_file;                       // empty: the system's authorities
  std::chrono::milliseconds patience{5000};  // of each step
  std::string name;                          // what the broker's list of connections shows
};

// What the broker says by itself.
struct RabbitConfirm {  // of a message that was published
  std::uint64_t number = 0;
  bool multiple = false;  // and of all before it
  bool ok = false;
};
struct RabbitReturn {  // it has no queue to go to; its confirm comes as well, after this
  std::string message_id;
  std::string queue;
};
struct RabbitDelivery {
  std::string consumer;
  std::uint64_t tag = 0;
  bool redelivered = false;
  std::string body;  // cut off one byte after the longest that is looked at
};
struct RabbitCancel {  // the queue was deleted, or its node is gone
  std::string consumer;
};
struct RabbitDepth {
  std::string queue;
  std::int64_t messages = 0;
};
struct RabbitBlocked {  // it takes no messages for now; empty: it does again
  std::string reason;
};
struct RabbitDepthLost {  // a queue that was asked for is not there
  std::string reason;
};
using RabbitEvent = std::variant<RabbitConfirm, RabbitReturn, RabbitDelivery, RabbitCancel, RabbitDepth,
                                 RabbitBlocked, RabbitDepthLost>;

// How long a queue that was deleted is left alone. RabbitMQ's quorum queues are named by their name: where a new one comes at
// once, it keeps consumers of the old one that never get a message, and tells them nothing.
inline constexpr std::chrono::milliseconds kDeletedQueueRest{1000};

struct RabbitMessage {
  std::string_view queue, id, type, body;
  TimePoint at{};
};

struct RabbitState;  // rabbitmq_state.h

class RabbitConnection {
 public:
  // `link` holds the socket while this lives. `try_first`: the last try failed; see rabbitmq_open.cpp.
  static Result<std::unique_ptr<RabbitConnection>> open(const RabbitEndpoint& endpoint, TcpDial& dial,
                                                        LinkSwitch& link, bool try_first);
  ~RabbitConnection();
  RabbitConnection(const RabbitConnection&) = delete;
  RabbitConnection& operator=(const RabbitConnection&) = delete;

  // Sees to it that the queue is there: one that exists is used as it is, else a durable quorum queue is made. How many
  // messages wait in it.
  Result<std::int64_t> declare(const std::string& queue);
  // From now on, published messages are confirmed, numbered from 1.
  Result<void> confirm_publishing();
  // At most this many messages are held here and not acknowledged, for each queue consumed from now on.
  Result<void> limit_held(std::uint16_t messages);
  // Its messages come from now on, in the name of the queue.
  Result<void> consume(const std::string& queue);

  // Persistent, and returned where there is no such queue.
  Result<void> publish(const RabbitMessage& message);
  Result<void> acknowledge(std::uint64_t tag, bool multiple);
  // The answer is an event.
  Result<void> ask_depth(const std::string& queue);

  // What has come, without waiting; also keeps the heartbeat going. True: there may be more.
  Result<bool> read(std::vector<RabbitEvent>& events);
  int fd() const;

  // Takes leave of the broker; waits for its answer as long as for any.
  void close(std::chrono::milliseconds patience);

 private:
  explicit RabbitConnection(std::unique_ptr<RabbitState> state);
  Result<void> declare_anew(const std::string& queue);

  const std::unique_ptr<RabbitState> state_;
};

}  // namespace eilbote
