#include "transport/rabbitmq_transport.h"

#include <unistd.h>

#include <algorithm>

#include "transport/rabbitmq_consumer.h"
#include "transport/rabbitmq_publisher.h"

namespace eilbote {
namespace {

constexpr std::chrono::milliseconds kStepPatience{5000};
constexpr std::string_view kGuest = "guest";  // RabbitMQ's own first user, and its password

class RabbitTransport final : public Transport {
 public:
  RabbitTransport(const RabbitEndpoint& endpoint, const TransportOptions& options, WakeUps& wakeups,
                  Metrics& metrics, const Clock& clock)
      : wakeups_(wakeups),
        publisher_({named(endpoint, "eilbote publisher"), published_queues(options), options.confirm_timeout},
                   watch_, metrics, clock) {
    if (!options.consumes.empty())
      consumer_ = std::make_unique<RabbitConsumer>(
          RabbitConsumerOptions{named(endpoint, "eilbote consumer"), options.consumes, options.prefetch},
          watch_, metrics);
  }
  ~RabbitTransport() override { stop(); }

  bool carries_jobs() const override { return true; }

  void start(Hooks hooks) override {
    watch_.start();
    // Who publishes only has no use for some of them; the wake-ups announce only when they are started.
    wakeups_.start(hooks.look ? std::move(hooks.look) : [] {});
    publisher_.start(hooks.ready ? std::move(hooks.ready) : [] {});
    if (consumer_) consumer_->start(std::move(hooks.arrive));
  }

  void stop() override {
    publisher_.request_stop();
    if (consumer_) consumer_->stop();
    publisher_.stop();
    wakeups_.stop();
    watch_.stop();
  }

  void announce() override { wakeups_.announce(); }
  void publish(std::vector<Parcel> parcels, Published done) override {
    publisher_.publish(std::move(parcels), std::move(done));
  }
  void acknowledge(std::span<const Receipt> receipts) override {
    if (consumer_) consumer_->acknowledge(receipts);
  }
  std::optional<std::int64_t> waiting(CarrierQueue queue) const override { return publisher_.waiting(queue); }
  TransportState state() const override {
    return consumer_ ? consumer_->state().added_to(publisher_.state()) : publisher_.state();
  }

 private:
  static RabbitEndpoint named(RabbitEndpoint endpoint, std::string name) {
    endpoint.name = std::move(name);
    return endpoint;
  }
  static std::vector<CarrierQueue> published_queues(const TransportOptions& options) {
    std::vector<CarrierQueue> queues;
    for (const auto& [queue, name] : kCarrierQueueNames.entries)
      if (queue != CarrierQueue::mail_retry || options.retries_apart) queues.push_back(queue);
    return queues;
  }

  WakeUps& wakeups_;
  LinkWatch watch_;
  mutable RabbitPublisher publisher_;
  std::unique_ptr<RabbitConsumer> consumer_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_rabbitmq_transport(TransportOptions options, WakeUps& wakeups,
                                                           Metrics& metrics, const Clock& clock) {
  auto url = parse_amqp_url(options.url);
  if (!url) return fail(url.error());
  if (options.password && !url->password.empty())
    return fail(ErrorKind::invalid, "the broker's password is given twice: in its URL and by a reference");
  if (!options.password && url->password.empty()) {
    if (url->user != kGuest)
      return fail(ErrorKind::invalid,
                  "the broker's URL names a user and no password; name one by a reference to a secret");
    url->password = Secret(std::string(kGuest));
  }
  if (!options.ca_file.empty() && ::access(options.ca_file.c_str(), R_OK) != 0)
    return fail(ErrorKind::invalid, "certificates " + options.ca_file + ": cannot be read");
  RabbitEndpoint endpoint;
  endpoint.url = std::move(*url);
  endpoint.password = std::move(options.password);
  endpoint.ca_file = options.ca_file;
  // Answers to publishers are given between these steps, and in time.
  endpoint.patience =
      std::min(kStepPatience, std::chrono::floor<std::chrono::milliseconds>(options.confirm_timeout / 2));
  return std::make_unique<RabbitTransport>(endpoint, options, wakeups, metrics, clock);
}

}  // namespace eilbote
