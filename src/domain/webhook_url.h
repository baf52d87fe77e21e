// The URL a webhook goes to, taken apart. Read by check_webhook before a job is accepted, by whoever needs a job's lane, and
// by the channel that sends it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace eilbote {

inline constexpr std::size_t kWebhookUrlMax = 2048;

struct WebhookUrl {
  bool is_https = true;
  std::string host;  // lower case, A-labels, no dot at the end; an IPv6 address in its brackets
  bool host_is_address = false;
  std::uint16_t port = 443;
  std::string path_and_query = "/";  // as given; always begins with a slash

  // The endpoint host of lanes and breakers: "host", or "host:port" where that is not the scheme's own port.
  std::string route() const;
  // The whole URL in its one spelling.
  std::string text() const;

  friend bool operator==(const WebhookUrl&, const WebhookUrl&) = default;
};

// The error says what would be right, without repeating the text.
Result<WebhookUrl> parse_webhook_url(std::string_view text);

}  // namespace eilbote
