// What a RabbitConnection is made of; for rabbitmq_open.cpp, which makes it, and rabbitmq_connection.cpp, which uses it.
#pragma once

#include <optional>
#include <string>

#include "transport/librabbitmq.h"
#include "transport/rabbitmq_connection.h"

namespace eilbote {

inline constexpr amqp_channel_t kMainChannel = 1;

struct RabbitState {
  explicit RabbitState(LinkSwitch& its_link) : link(its_link) {}
  ~RabbitState();
  RabbitState(const RabbitState&) = delete;
  RabbitState& operator=(const RabbitState&) = delete;

  LinkSwitch& link;
  amqp_connection_state_t amqp = nullptr;
  amqp_channel_t last_channel = 0;  // the newest
  // A question about a queue that is not there closes its channel, so they have their own.
  amqp_channel_t side_channel = 0;
  int open_questions = 0;  // on the side channel

  // A message is a method, a header and as many bodies as it takes. What is being put together:
  std::optional<RabbitEvent> message;
  std::uint64_t bytes_left = 0;

  // A channel with a number that was not used lately: the broker may not be done with one that broke.
  Result<amqp_channel_t> open_channel();
  // The answer of the last call that waited.
  Result<void> outcome(const char* doing) const;
  Result<void> sent(int status, const char* doing) const;
};

// In words. An exception of the broker's is its own text: "ACCESS_REFUSED - ...".
std::string rabbit_fault(const amqp_rpc_reply_t& reply);
// The number of an exception that closed a channel, 404 and the like; 0: it was something else.
int rabbit_channel_fault(const amqp_rpc_reply_t& reply);
std::string rabbit_text(const amqp_bytes_t& bytes);
amqp_bytes_t rabbit_bytes(std::string_view text);

}  // namespace eilbote
