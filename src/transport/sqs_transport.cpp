#include "transport/sqs_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "metrics/metrics.h"
#include "transport/sqs_consumer.h"
#include "transport/sqs_depths.h"
#include "transport/sqs_publisher.h"

namespace eilbote {
namespace {

// In the order in which they are looked up.
std::vector<CarrierQueue> queues_of(const TransportOptions& options) {
  std::vector<CarrierQueue> queues;
  for (const auto& [queue, name] : kCarrierQueueNames.entries) {
    const bool is_used =
        queue != CarrierQueue::mail_retry || options.retries_apart ||
        std::find(options.consumes.begin(), options.consumes.end(), queue) != options.consumes.end();
    if (is_used) queues.push_back(queue);
  }
  return queues;
}

class SqsTransport final : public Transport {
 public:
  SqsTransport(TransportOptions options, const SqsUrl& url, SqsDoorOptions door, WakeUps& wakeups,
               Metrics& metrics, const Clock& clock, const SqsTiming& timing)
      : options_(std::move(options)),
        timing_(timing),
        wakeups_(wakeups),
        loop_(clock),
        door_(std::move(door), loop_, clock),
        receiving_(metrics),
        queues_(url, queues_of(options_), timing, door_, loop_, random_, metrics),
        depths_(std::make_unique<SqsDepths>(timing, queues_, door_, loop_)),
        publisher_(options_.confirm_timeout, timing, queues_, *depths_, door_, loop_, random_, metrics),
        thread_("sqs", [this](const std::stop_token&) { loop_.run(); }) {}
  ~SqsTransport() override { stop(); }

  // Before start(): the client of the door may be impossible to make.
  Result<void> prepare() { return door_.start(); }

  bool carries_jobs() const override { return true; }
  void start(Hooks hooks) override;
  void stop() override;
  void announce() override { wakeups_.announce(); }
  void publish(std::vector<Parcel> parcels, Published done) override;
  void acknowledge(std::span<const Receipt> receipts) override;
  std::optional<std::int64_t> waiting(CarrierQueue queue) const override { return depths_->waiting(queue); }
  TransportState state() const override { return receiving_.added_to(queues_.state()); }

 private:
  enum class Phase { fresh, running, stopped };
  void begin();
  void connected();
  void say_farewell();

  const TransportOptions options_;
  const SqsTiming timing_;
  WakeUps& wakeups_;
  SystemRandom random_;
  SqsLoop loop_;
  SqsDoor door_;
  ReceiveState receiving_;
  SqsQueues queues_;
  std::unique_ptr<SqsDepths> depths_;  // asking it for a depth may make it ask SQS
  SqsPublisher publisher_;
  Hooks hooks_;
  std::map<CarrierQueue, std::unique_ptr<SqsConsumer>> consumers_;  // of the loop
  std::size_t farewells_open_ = 0;                                  // of the loop
  Mutex mutex_;
  Phase phase_ EILBOTE_GUARDED_BY(mutex_) = Phase::fresh;
  Service thread_;
};

void SqsTransport::start(Hooks hooks) {
  {
    const MutexLock lock(mutex_);
    if (phase_ != Phase::fresh) return;
    phase_ = Phase::running;
    hooks_ = std::move(hooks);
    loop_.post([this] { begin(); });
  }
  thread_.start();
  wakeups_.start(hooks_.look ? hooks_.look : [] {});
}

void SqsTransport::begin() {
  for (const CarrierQueue queue : options_.consumes)
    consumers_[queue] = std::make_unique<SqsConsumer>(queue, options_.prefetch, timing_, queues_, door_,
                                                      loop_, random_, receiving_, hooks_.arrive);
  queues_.start([this] { connected(); });
}

void SqsTransport::connected() {
  for (const auto& [queue, name] : kCarrierQueueNames.entries)
    depths_->refresh(queue);
  for (const auto& [queue, consumer] : consumers_)
    consumer->go_on();
  if (hooks_.ready) hooks_.ready();
}

void SqsTransport::stop() {
  Phase before;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(phase_, Phase::stopped);
    if (before == Phase::running) loop_.post([this] { say_farewell(); });
  }
  if (before == Phase::running) wakeups_.stop();
  if (before == Phase::fresh) loop_.end();
  thread_.stop();
  door_.stop();
}

void SqsTransport::say_farewell() {
  publisher_.stop();
  door_.drop_calls();
  farewells_open_ = consumers_.size() + 1;
  const auto one_less = [this] {
    if (--farewells_open_ == 0) loop_.end();
  };
  for (const auto& [queue, consumer] : consumers_)
    consumer->say_farewell(one_less);
  queues_.stop();
  loop_.after(timing_.farewell, [this] { loop_.end(); });
  one_less();
}

void SqsTransport::publish(std::vector<Parcel> parcels, Published done) {
  {
    const MutexLock lock(mutex_);
    if (phase_ == Phase::running) {
      loop_.post([this, parcels = std::move(parcels), done = std::move(done)]() mutable {
        publisher_.publish(std::move(parcels), std::move(done));
      });
      return;
    }
  }
  done(std::vector<Carriage>(parcels.size(), Carriage::refused));
}

void SqsTransport::acknowledge(std::span<const Receipt> receipts) {
  std::map<CarrierQueue, std::vector<Receipt>> by_queue;
  for (const Receipt receipt : receipts)
    by_queue[SqsConsumer::queue_of(receipt)].push_back(receipt);
  loop_.post([this, by_queue = std::move(by_queue)] {
    for (const auto& [queue, those] : by_queue) {
      const auto consumer = consumers_.find(queue);
      if (consumer != consumers_.end()) consumer->second->acknowledge(those);
    }
  });
}

Result<WebhookUrl> endpoint_of(const TransportOptions& options, const std::string& region) {
  std::string address = options.aws_endpoint_url;
  if (address.empty())
    address = fmt::format("https://sqs.{}.amazonaws.com{}", region, region.starts_with("cn-") ? ".cn" : "");
  while (address.ends_with('/'))
    address.pop_back();
  auto url = parse_webhook_url(address + "/");
  if (!url) return fail(url.error().with_context("the endpoint of SQS"));
  return url;
}

}  // namespace

Result<std::unique_ptr<Transport>> make_sqs_transport(TransportOptions options, WakeUps& wakeups,
                                                      Metrics& metrics, const Clock& clock,
                                                      const SqsTiming& timing) {
  const auto url = parse_sqs_url(options.url);
  if (!url) return tl::unexpected(url.error());
  const auto endpoint = endpoint_of(options, url->region);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (!options.aws_credentials) return fail(ErrorKind::invalid, "SQS needs credentials of AWS");
  SqsDoorOptions door{*endpoint, url->region, options.ca_file, options.aws_credentials};
  auto transport = std::make_unique<SqsTransport>(std::move(options), *url, std::move(door), wakeups, metrics,
                                                  clock, timing);
  const auto prepared = transport->prepare();
  if (!prepared) return tl::unexpected(prepared.error());
  return transport;
}

Result<std::unique_ptr<Transport>> make_sqs_transport(TransportOptions options, WakeUps& wakeups,
                                                      Metrics& metrics, const Clock& clock) {
  return make_sqs_transport(std::move(options), wakeups, metrics, clock, SqsTiming{});
}

}  // namespace eilbote
