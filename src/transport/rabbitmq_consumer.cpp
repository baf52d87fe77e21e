#include "transport/rabbitmq_consumer.h"

#include <algorithm>
#include <limits>

namespace eilbote {
namespace {

constexpr std::chrono::seconds kHearingEvery{2};
constexpr std::chrono::seconds kAckPatience{10};  // the broker reads its acknowledgements, or is of no use

}  // namespace

RabbitConsumer::RabbitConsumer(RabbitConsumerOptions options, LinkWatch& watch, Metrics& metrics)
    : options_(std::move(options)),
      state_(metrics),
      line_(options_.endpoint, "consuming", watch, metrics),
      service_("broker-consume", [this](const std::stop_token& stop) { run(stop); }) {
  for (const CarrierQueue queue : options_.queues)
    state_.fails(queue, "not connected yet");
}

void RabbitConsumer::start(std::function<void(std::vector<Arrival>)> arrive) {
  arrive_ = std::move(arrive);
  service_.start();
}

void RabbitConsumer::acknowledge(std::span<const Receipt> receipts) {
  if (receipts.empty()) return;
  {
    const MutexLock lock(mutex_);
    acknowledged_.insert(acknowledged_.end(), receipts.begin(), receipts.end());
  }
  line_.bell().ring();
}

void RabbitConsumer::run(const std::stop_token& stop) {
  line_.run(stop, {.prepare = [this] { return prepare(); },
                   .serve = [this] { return serve(); },
                   .lost =
                       [this](const std::string& why) {
                         for (const CarrierQueue queue : options_.queues)
                           state_.fails(queue, why);
                       },
                   .disturbed = [] {}});
}

Result<void> RabbitConsumer::prepare() {
  book_.begin_anew();
  hearing_ = {};
  next_check_ = std::chrono::steady_clock::now() + kHearingEvery;
  const int most = std::numeric_limits<std::uint16_t>::max();
  const auto held = static_cast<std::uint16_t>(std::clamp(options_.prefetch, 1, most));
  if (auto limited = line_.connection().limit_held(held); !limited) return limited;
  for (const CarrierQueue queue : options_.queues)
    if (auto consumed = consume(queue); !consumed) return consumed;
  for (const CarrierQueue queue : options_.queues)
    state_.works(queue);
  return {};
}

Result<void> RabbitConsumer::consume(CarrierQueue queue) {
  const std::string name(kCarrierQueueNames.text(queue));
  auto declared = line_.connection().declare(name);
  if (!declared) return fail(declared.error());
  return line_.connection().consume(name);
}

Result<void> RabbitConsumer::serve() {
  while (!line_.is_stopping()) {
    if (auto sent = send_acknowledgements(); !sent) return sent;
    auto more = take_events();
    if (!more) return fail(more.error());
    if (auto checked = check_hearing(); !checked) return checked;
    if (!*more) line_.wait(next_check_);
  }
  // What was done with before the stop need not come again.
  return send_acknowledgements();
}

Result<void> RabbitConsumer::send_acknowledgements() {
  std::vector<Receipt> receipts;
  {
    const MutexLock lock(mutex_);
    receipts.swap(acknowledged_);
  }
  if (receipts.empty()) return {};
  line_.cut_at(std::chrono::steady_clock::now() + kAckPatience);
  for (const AckBook::Order& order : book_.acknowledge(receipts))
    if (auto sent = line_.connection().acknowledge(order.tag, order.multiple); !sent) return sent;
  line_.cut_at(std::nullopt);
  return {};
}

Result<bool> RabbitConsumer::take_events() {
  std::vector<RabbitEvent> events;
  auto more = line_.connection().read(events);
  std::vector<Arrival> arrivals;
  Result<void> taken;
  for (auto event = events.begin(); taken && event != events.end(); ++event)
    taken = take(*event, arrivals);
  if (!arrivals.empty() && !line_.is_stopping()) arrive_(std::move(arrivals));
  if (!taken) return fail(taken.error());
  return more;
}

Result<void> RabbitConsumer::take(RabbitEvent& event, std::vector<Arrival>& arrivals) {
  if (auto* const delivery = std::get_if<RabbitDelivery>(&event)) {
    const auto queue = kCarrierQueueNames.parse(delivery->consumer);
    if (!queue) return {};
    hearing_.arrived(*queue);
    arrivals.push_back(
        {*queue, book_.delivered(delivery->tag, *queue), std::move(delivery->body), delivery->redelivered});
  } else if (const auto* const cancel = std::get_if<RabbitCancel>(&event)) {
    return leave(cancel->consumer + " was deleted");
  } else if (const auto* const depth = std::get_if<RabbitDepth>(&event)) {
    const auto queue = kCarrierQueueNames.parse(depth->queue);
    if (queue && hearing_.is_deaf(*queue, depth->messages))
      return fail(ErrorKind::unavailable, depth->queue + " has messages, and none comes");
  } else if (const auto* const gone = std::get_if<RabbitDepthLost>(&event)) {
    return leave(gone->reason);
  }
  return {};
}

tl::unexpected<Error> RabbitConsumer::leave(const std::string& why) {
  line_.rest_at_least(kDeletedQueueRest);
  return fail(ErrorKind::unavailable, why);
}

Result<void> RabbitConsumer::check_hearing() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_check_) return {};
  next_check_ = now + kHearingEvery;
  for (const CarrierQueue queue : options_.queues) {
    if (!hearing_.wants_depth(queue, book_.held(queue) < options_.prefetch)) continue;
    auto asked = line_.connection().ask_depth(std::string(kCarrierQueueNames.text(queue)));
    if (!asked) return asked;
  }
  return {};
}

}  // namespace eilbote
