// sqs://REGION[/ACCOUNT][?prefix=..&fifo=true|false&create=true|false]: which queues of SQS carry jobs. Pure. Read by
// make_sqs_transport, and before it by whoever checks the configuration.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/carried_job.h"

namespace eilbote {

inline constexpr std::string_view kSqsScheme = "sqs://";

struct SqsUrl {
  std::string region;
  std::string account{};  // whose queues; empty: those of whom the credentials belong to
  std::string prefix{};   // in front of every queue's name
  bool fifo = false;
  // A queue that is not there is made. Off for a named account unless asked for: queues can only be made in one's own.
  bool create = true;

  // "shop-email-dispatcher-send.fifo": SQS knows no dots but the one of ".fifo".
  std::string queue_name(CarrierQueue queue) const;

  friend bool operator==(const SqsUrl&, const SqsUrl&) = default;
};

// The error says what would be right.
Result<SqsUrl> parse_sqs_url(std::string_view text);

}  // namespace eilbote
