// The transports' front door. Concrete classes live in their own files: database_transport.cpp, rabbitmq_*.cpp, sqs_*.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"
#include "domain/aws_signature.h"
#include "ports/transport.h"
#include "ports/wakeups.h"

namespace eilbote {

struct Metrics;

struct TransportOptions {
  std::string url = "database:";  // "amqp://user@host:port/vhost", "amqps://...", "sqs://region/..."
  // Asked at every new connection, so that a changed password is used; empty: the URL has all that is needed. May block.
  std::function<Result<Secret>()> password;
  std::function<Result<AwsCredentials>()>
      aws_credentials;                 // SQS; asked before every request, answers from memory mostly
  std::string aws_endpoint_url;        // SQS: instead of AWS's own; empty: that
  std::string ca_file;                 // empty: the system's authorities
  bool retries_apart = false;          // mail_retry is used
  std::vector<CarrierQueue> consumes;  // empty: publishes only
  int prefetch = 500;                  // messages held here and not acknowledged, per queue
  Duration confirm_timeout = std::chrono::seconds{10};
};

// Checks the URL; connects later, in the background, and again whenever the connection is lost. `wakeups` outlives it.
Result<std::unique_ptr<Transport>> make_transport(TransportOptions options, WakeUps& wakeups,
                                                  Metrics& metrics, const Clock& clock);

}  // namespace eilbote
