#include "transport/sqs_queues.h"

#include "base/log.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

// Failures that are further back than this say nothing about how long to wait after a new one.
constexpr Duration kForgiveAfter = std::chrono::seconds{20};

}  // namespace

SqsQueues::SqsQueues(SqsUrl url, std::vector<CarrierQueue> queues, const SqsTiming& timing, SqsDoor& door,
                     SqsLoop& loop, Random& random, Metrics& metrics)
    : url_(std::move(url)),
      queues_(std::move(queues)),
      timing_(timing),
      door_(door),
      loop_(loop),
      random_(random),
      metrics_(metrics) {}

void SqsQueues::start(std::function<void()> on_connected) {
  on_connected_ = std::move(on_connected);
  mend();
}

void SqsQueues::stop() {
  is_stopped_ = true;
  say(false, "the transport was stopped");
}

const std::string* SqsQueues::address(CarrierQueue queue) const {
  const auto found = addresses_.find(queue);
  return found == addresses_.end() ? nullptr : &found->second;
}

TransportState SqsQueues::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

void SqsQueues::lost(CarrierQueue queue, const SqsError& error) {
  addresses_.erase(queue);
  trouble({error.fault, about(queue, error.detail)});
}

void SqsQueues::trouble(const SqsError& error) {
  if (!is_connected_ || is_stopped_) return;  // it is being mended, and that will say what is wrong
  if (loop_.now() - connected_at_ > kForgiveAfter) failures_ = 0;
  ++failures_;
  say(false, error.detail);
  mend_later();
}

void SqsQueues::judge(CarrierQueue queue, const SqsError& error) {
  switch (error.fault) {
    case SqsFault::none:
    case SqsFault::throttled:
    case SqsFault::refused:
      return;
    case SqsFault::no_queue:
      return lost(queue, error);
    default:
      return trouble(error);
  }
}

void SqsQueues::mend() {
  if (is_mending_ || is_stopped_) return;
  is_mending_ = true;
  take_next_step();
}

void SqsQueues::mend_later() {
  metrics_.add(Metric::broker_reconnects);
  loop_.after(sqs_backoff(timing_, failures_, random_), [this] { mend(); });
}

void SqsQueues::take_next_step() {
  if (is_stopped_) return;
  for (const CarrierQueue queue : queues_)
    if (address(queue) == nullptr) return look_up(queue);
  probe();
}

void SqsQueues::look_up(CarrierQueue queue) {
  door_.call(
      {SqsAction::get_queue_url, sqs_queue_url_body(url_.queue_name(queue), url_.account), timing_.request},
      [this, queue](const SqsAnswer& answer) {
        if (answer.error.fault == SqsFault::no_queue && url_.create) return create(queue);
        found(queue, answer);
      });
}

void SqsQueues::create(CarrierQueue queue) {
  door_.call(
      {SqsAction::create_queue,
       sqs_create_body(url_.queue_name(queue), url_.fifo, static_cast<int>(timing_.visibility.count())),
       timing_.request},
      [this, queue](const SqsAnswer& answer) {
        if (!answer.error) log::info("an SQS queue was made", {{"queue", url_.queue_name(queue)}});
        found(queue, answer);
      });
}

void SqsQueues::found(CarrierQueue queue, const SqsAnswer& answer) {
  if (answer.error) return failed(about(queue, answer.error.detail));
  std::string address = sqs_queue_url(answer.body);
  if (address.empty()) return failed(about(queue, "SQS's answer names no address"));
  addresses_[queue] = std::move(address);
  take_next_step();
}

void SqsQueues::probe() {
  const CarrierQueue queue = queues_.front();
  door_.call({SqsAction::get_queue_attributes, sqs_depth_body(*address(queue)), timing_.request},
             [this, queue](const SqsAnswer& answer) {
               if (answer.error.fault == SqsFault::no_queue) addresses_.erase(queue);
               if (answer.error) return failed(about(queue, answer.error.detail));
               if (addresses_.size() < queues_.size()) return take_next_step();  // one was lost meanwhile
               connected();
             });
}

void SqsQueues::failed(const std::string& detail) {
  is_mending_ = false;
  if (is_stopped_) return;
  ++failures_;
  say(false, detail);
  mend_later();
}

void SqsQueues::connected() {
  is_mending_ = false;
  if (is_stopped_) return;
  connected_at_ = loop_.now();
  say(true, "");
  watch(++connections_);
  on_connected_();
}

// Asks again and again, as long as this connection lasts.
void SqsQueues::watch(int connection) {
  loop_.after(timing_.watch_every, [this, connection] {
    if (is_stopped_ || !is_connected_ || connection != connections_) return;
    const CarrierQueue queue = queues_.front();
    door_.call({SqsAction::get_queue_attributes, sqs_depth_body(*address(queue)), timing_.request},
               [this, queue, connection](const SqsAnswer& answer) {
                 judge(queue, answer.error);
                 watch(connection);
               });
  });
}

void SqsQueues::say(bool connected, const std::string& detail) {
  is_connected_ = connected;
  metrics_.set(Metric::broker_connected,
               connected ? 1 : 0);  // whoever reads the state finds the gauge to agree
  bool is_news = false;
  {
    const MutexLock lock(mutex_);
    is_news = state_.connected != connected || state_.detail != detail;
    state_ = {connected, detail};
  }
  if (!is_news || is_stopped_) return;
  if (connected)
    log::info("SQS is there", {{"region", url_.region}});
  else
    log::warning("SQS is away; jobs wait in the database", {{"why", detail}});
}

std::string SqsQueues::about(CarrierQueue queue, const std::string& detail) const {
  return "queue " + url_.queue_name(queue) + ": " + detail;
}

}  // namespace eilbote
