// The request a webhook job becomes: its body and its header lines. Pure: the same job at the same instant always makes the
// same request. Used by the webhook channel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "domain/ids.h"
#include "domain/service_account.h"
#include "domain/webhook.h"

namespace eilbote {

// What is particular to one attempt.
struct WebhookOccasion {
  JobId job;
  TimePoint at{};
  std::string traceparent;             // empty: none
  std::string user_agent = "Eilbote";  // unless the job has its own
};

struct WebhookRequest {
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// Takes headers out of `webhook`, and the payload where the body is nothing else.
WebhookRequest make_webhook_request(Webhook&& webhook, const WebhookKeys& keys,
                                    const WebhookOccasion& occasion);

}  // namespace eilbote
