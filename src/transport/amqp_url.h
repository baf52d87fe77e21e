// Addresses of RabbitMQ: amqp[s]://[USER[:PASSWORD]@]HOST[:PORT][/VHOST][?heartbeat=SECONDS], with %XX where a part has
// characters of the URL itself. Pure. Checked when the program starts, used at every connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace eilbote {

struct AmqpUrl {
  bool tls = false;
  std::string host;  // a name or an address, without the brackets of IPv6
  std::uint16_t port = 0;
  std::string user = "guest";
  Secret password;  // empty: the URL has none
  std::string vhost = "/";
  std::chrono::seconds heartbeat{20};

  // "amqp://mailer@broker:5672/orders": for people, without the password.
  std::string shown() const;
};

bool is_amqp_url(std::string_view url);

// The error says what is wrong and what would be right, without the URL's text.
Result<AmqpUrl> parse_amqp_url(std::string_view url);

}  // namespace eilbote
