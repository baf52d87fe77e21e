// Transports on the test program's SQS, in queues of their own. Times are shorter than in production, so that what they end
// can be waited for.
#pragma once

#include "metrics/metrics.h"
#include "support/silent_wakeups.h"
#include "support/sqs_server.h"
#include "support/transport_world.h"
#include "transport/sqs_timing.h"
#include "transport/sqs_url.h"

namespace eilbote::test {

// Waits of a second and less where production has many.
SqsTiming short_sqs_timing();
// Credentials that no server checks.
Result<AwsCredentials> some_aws_credentials();

class SqsWorld final : public TransportWorld {
 public:
  explicit SqsWorld(bool fifo = false);
  ~SqsWorld() override { server.recover(); }

  std::unique_ptr<Transport> make(TransportOptions options = {}) override;
  bool has_trouble() const override { return true; }
  void trouble() override { server.trouble(); }
  void recover() override { server.recover(); }

  std::string queue_name(CarrierQueue queue) const { return url.queue_name(queue); }

  SqsServer& server = SqsServer::shared();
  SqsUrl url;
  SqsTiming timing = short_sqs_timing();
  Metrics metrics;
  SystemClock clock;
  SilentWakeUps wakeups;
};

}  // namespace eilbote::test
