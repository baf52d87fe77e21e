#include "support/sqs_world.h"

#include <stdexcept>

#include "transport/sqs_transport.h"

namespace eilbote::test {

SqsTiming short_sqs_timing() {
  SqsTiming timing;
  timing.visibility = std::chrono::seconds{4};
  timing.poll = std::chrono::seconds{1};
  timing.beyond_poll = std::chrono::seconds{5};
  timing.depth_every = std::chrono::milliseconds{100};
  timing.watch_every = std::chrono::milliseconds{200};
  timing.backoff_min = std::chrono::milliseconds{20};
  timing.backoff_max = std::chrono::milliseconds{200};
  return timing;
}

Result<AwsCredentials> some_aws_credentials() {
  return AwsCredentials{"AKIDEXAMPLE", Secret("wJalrXUtnFEMI-of-nobody"), Secret()};
}

SqsWorld::SqsWorld(bool fifo) {
  url.region = "eu-central-1";
  url.prefix = server.new_prefix();
  url.fifo = fifo;
}

std::unique_ptr<Transport> SqsWorld::make(TransportOptions options) {
  options.url = std::string(kSqsScheme) + url.region + "?prefix=" + url.prefix +
                (url.fifo ? "&fifo=true" : "") + (url.create ? "" : "&create=false");
  options.aws_endpoint_url = server.url();
  options.aws_credentials = some_aws_credentials;
  auto transport = make_sqs_transport(std::move(options), wakeups, metrics, clock, timing);
  if (!transport) throw std::runtime_error(transport.error().message);
  return std::move(*transport);
}

}  // namespace eilbote::test
