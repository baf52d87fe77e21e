// The URL of a transport, as far as the configuration has to know it: which kind it is, and who logs in. Pure. The transports
// (src/transport/) read the rest of theirs, and refuse it, before anything is started.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace eilbote {

enum class TransportKind { database, rabbitmq, sqs };

inline constexpr std::string_view kDatabaseTransport = "database:";

struct TransportUrl {
  TransportKind kind = TransportKind::database;
  bool tls = false;
  bool has_user = false, has_password = false;
};

// `database:`, `amqp://[USER[:PASSWORD]@]HOST..`, `amqps://..` or `sqs://REGION..`. The error says what would be right, and shows
// nothing of the URL: it may hold a password.
Result<TransportUrl> read_transport_url(std::string_view url);

}  // namespace eilbote
