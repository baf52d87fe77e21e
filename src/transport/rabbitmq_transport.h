// The transport over RabbitMQ: a publisher, a consumer where something is consumed, and the thread that ends their calls when
// the broker hangs. Wake-ups between instances stay in the database: what does not travel is found there.
#pragma once

#include <memory>

#include "transport/amqp_url.h"
#include "transport/transport.h"

namespace eilbote {

Result<std::unique_ptr<Transport>> make_rabbitmq_transport(TransportOptions options, WakeUps& wakeups,
                                                           Metrics& metrics, const Clock& clock);

}  // namespace eilbote
