#include "transport/sqs_publisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "transport/carriage_counts.h"

namespace eilbote {
namespace {

constexpr int kRequestsMax = 16;  // on their way, per queue
constexpr int kFailuresMax = 4;   // in a row; after them SQS counts as away
// Whoever has less time left than this is not sent any more.
constexpr Duration kTooLate = std::chrono::milliseconds{50};
constexpr std::size_t kPassedMax = 1000;     // of busy groups, before a batch is as good as it gets
constexpr std::size_t kWaitingMax = 20'000;  // parcels per queue; more than any publisher claims at a time

Carriage carriage_of(const SqsEntry& entry, const std::string& body) {
  switch (entry.outcome) {
    case SqsEntry::Outcome::done:
      if (sqs_md5_fits(body, entry.md5)) return Carriage::confirmed;
      log::error("SQS has another message than the one it was sent");
      return Carriage::unknown;
    case SqsEntry::Outcome::wrong:
    case SqsEntry::Outcome::failed:
      log::warning("SQS refused a message", {{"why", entry.code}});
      return Carriage::refused;
    case SqsEntry::Outcome::missing:
      break;
  }
  return Carriage::unknown;
}

}  // namespace

struct SqsPublisher::Order {
  enum class Where {
    here,      // SQS has it not
    with_sqs,  // handed over: SQS may have it
    answered,
  };
  std::vector<CarrierQueue> queues;  // of the parcels
  std::vector<Where> where;
  std::vector<Carriage> answers;
  std::size_t open = 0;
  Clock::Steady deadline{};
  Transport::Published done;
  bool is_closed = false;
};

SqsPublisher::SqsPublisher(Duration confirm_timeout, const SqsTiming& timing, SqsQueues& queues,
                           SqsDepths& depths, SqsDoor& door, SqsLoop& loop, Random& random, Metrics& metrics)
    : confirm_timeout_(confirm_timeout),
      timing_(timing),
      queues_(queues),
      depths_(depths),
      door_(door),
      loop_(loop),
      random_(random),
      metrics_(metrics) {}

SqsOutgoing SqsPublisher::outgoing(const Parcel& parcel) {
  SqsOutgoing message{sqs_text(parcel.body)};
  if (!queues_.is_fifo()) return message;
  message.group = sqs_identifier(parcel.group.empty() ? parcel.id : parcel.group);
  // New for every publish: SQS swallows a repeated id for five minutes, also when the first copy was read and is gone, and a
  // parcel that is published again is one whose first copy is gone. Repeats of one request keep it.
  message.deduplication_id = sqs_identifier(fmt::format("{}-{:016x}", parcel.id, random_.bits()));
  return message;
}

void SqsPublisher::publish(std::vector<Parcel> parcels, Transport::Published done) {
  const auto order = std::make_shared<Order>();
  order->where.assign(parcels.size(), Order::Where::here);
  order->answers.assign(parcels.size(), Carriage::refused);
  order->open = parcels.size();
  order->deadline = loop_.now() + confirm_timeout_;
  order->done = std::move(done);
  for (const Parcel& parcel : parcels)
    order->queues.push_back(parcel.queue);
  orders_.insert(order);
  std::set<CarrierQueue> lines;
  for (std::size_t i = 0; i < parcels.size(); ++i) {
    const CarrierQueue queue = parcels[i].queue;
    Item item{order, i, outgoing(parcels[i])};
    const bool fits = !item.message.body.empty() && item.message.body.size() <= kSqsBytesMax;
    if (!fits) log::error("a message is empty or too large for SQS", {{"parcel", parcels[i].id}});
    if (!fits || is_stopped_ || !queues_.is_connected() || lines_[queue].waiting.size() >= kWaitingMax) {
      settle(item, Carriage::refused);
      continue;
    }
    lines_[queue].waiting.push_back(std::move(item));
    lines.insert(queue);
  }
  if (order->open == 0) return close(order);
  loop_.after(confirm_timeout_, [this, open = std::weak_ptr(order)] {
    if (const auto late = open.lock()) close(late);
  });
  for (const CarrierQueue queue : lines)
    send_more(queue);
}

void SqsPublisher::stop() {
  is_stopped_ = true;
  while (!orders_.empty())
    close(*orders_.begin());
  lines_.clear();
}

void SqsPublisher::send_more(CarrierQueue queue) {
  Line& line = lines_[queue];
  if (is_stopped_ || loop_.now() < line.paused_until) return;
  while (line.requests < kRequestsMax) {
    std::vector<Item> batch = next_batch(line);
    if (batch.empty()) return;
    send(queue, std::move(batch));
  }
}

// In the order they came. On FIFO queues what has one of its group on its way is passed over: requests may overtake each
// other.
std::vector<SqsPublisher::Item> SqsPublisher::next_batch(Line& line) {
  std::vector<Item> batch;
  std::set<std::string> passed;  // groups, and what comes after in them
  std::deque<Item> left;
  std::size_t bytes = 0;
  while (!line.waiting.empty() && batch.size() < kSqsBatchMax && left.size() < kPassedMax) {
    Item item = std::move(line.waiting.front());
    line.waiting.pop_front();
    // Its order answers it at its deadline, as it stands.
    if (item.order->is_closed || loop_.now() + kTooLate >= item.order->deadline) continue;
    const std::string& group = item.message.group;
    const bool is_busy = !group.empty() && (line.busy_groups.contains(group) || passed.contains(group));
    if (is_busy || bytes + item.message.body.size() > kSqsBytesMax) {
      passed.insert(group);
      left.push_back(std::move(item));
      if (!is_busy) break;  // no room in this batch
      continue;
    }
    bytes += item.message.body.size();
    batch.push_back(std::move(item));
  }
  for (; !left.empty(); left.pop_back())
    line.waiting.push_front(std::move(left.back()));
  for (const Item& item : batch)
    if (!item.message.group.empty()) line.busy_groups.insert(item.message.group);
  return batch;
}

void SqsPublisher::send(CarrierQueue queue, std::vector<Item> batch) {
  const std::string* address = queues_.address(queue);
  Line& line = lines_[queue];
  if (address == nullptr) {
    for (Item& item : batch) {
      line.busy_groups.erase(item.message.group);
      settle(item, Carriage::refused);
    }
    return;
  }
  std::vector<SqsOutgoing> messages;
  Clock::Steady deadline = Clock::Steady::max();
  for (Item& item : batch) {
    messages.push_back(item.message);
    deadline = std::min(deadline, item.order->deadline);
    item.order->where[item.number] = Order::Where::with_sqs;
  }
  ++line.requests;
  const Duration left = std::chrono::floor<Duration>(deadline - loop_.now());
  door_.call({SqsAction::send_message_batch, sqs_send_body(*address, messages), left},
             [this, queue, batch = std::move(batch)](const SqsAnswer& answer) mutable {
               answered(queue, std::move(batch), answer);
             });
}

void SqsPublisher::answered(CarrierQueue queue, std::vector<Item> batch, const SqsAnswer& answer) {
  if (is_stopped_) return;
  Line& line = lines_[queue];
  --line.requests;
  for (const Item& item : batch)
    line.busy_groups.erase(item.message.group);
  const SqsFault fault = answer.error.fault;
  if (fault == SqsFault::none) {
    line.failures = 0;
    settle_entries(queue, batch, answer.body);
  } else if (fault == SqsFault::throttled || fault == SqsFault::unavailable) {
    send_again(queue, std::move(batch), answer.error);
  } else {
    if (fault == SqsFault::refused)
      log::warning("SQS refused a batch of messages", {{"why", answer.error.detail}});
    queues_.judge(queue, answer.error);
    for (const Item& item : batch)
      settle(item,
             fault == SqsFault::unanswered || item.may_be_there ? Carriage::unknown : Carriage::refused);
  }
  send_more(queue);
}

void SqsPublisher::settle_entries(CarrierQueue queue, const std::vector<Item>& batch,
                                  const std::string& body) {
  const std::vector<SqsEntry> entries = sqs_entries(body, batch.size());
  std::vector<Carriage> carriages;
  for (std::size_t i = 0; i < batch.size(); ++i)
    carriages.push_back(carriage_of(entries[i], batch[i].message.body));
  // Counted before anybody hears of it: whoever publishes next asks how many wait.
  const auto confirmed = std::count(carriages.begin(), carriages.end(), Carriage::confirmed);
  if (confirmed > 0) depths_.published(queue, confirmed);
  for (std::size_t i = 0; i < batch.size(); ++i)
    settle(batch[i], carriages[i]);
}

// SQS has no time, or an error of its own. The batch goes to the front again, and the whole line waits a little; at the
// confirm timeout its parcels are answered as they stand.
void SqsPublisher::send_again(CarrierQueue queue, std::vector<Item> batch, const SqsError& error) {
  Line& line = lines_[queue];
  // Requests that went out together fail together: that is one failure.
  if (loop_.now() >= line.paused_until) {
    const Duration wait = sqs_backoff(timing_, ++line.failures, random_);
    line.paused_until = loop_.now() + wait;
    loop_.after(wait, [this, queue] { send_more(queue); });
    if (line.failures >= kFailuresMax) queues_.trouble(error);
  }
  for (; !batch.empty(); batch.pop_back()) {
    Item& item = batch.back();
    if (item.order->is_closed) continue;
    if (error.fault == SqsFault::unavailable) item.may_be_there = true;
    if (!item.may_be_there) item.order->where[item.number] = Order::Where::here;
    line.waiting.push_front(std::move(item));
  }
}

void SqsPublisher::settle(const Item& item, Carriage carriage) {
  if (item.order->is_closed) return;
  record(*item.order, item.number, carriage);
  if (item.order->open == 0) close(item.order);
}

void SqsPublisher::record(Order& order, std::size_t number, Carriage carriage) {
  if (order.where[number] == Order::Where::answered) return;
  order.where[number] = Order::Where::answered;
  order.answers[number] = carriage;
  --order.open;
  count_carriage(metrics_, order.queues[number], carriage);
}

// What has no answer yet is answered as it stands.
void SqsPublisher::close(std::shared_ptr<Order> order) {
  if (order->is_closed) return;
  for (std::size_t i = 0; i < order->where.size(); ++i)
    record(*order, i, order->where[i] == Order::Where::with_sqs ? Carriage::unknown : Carriage::refused);
  order->is_closed = true;
  orders_.erase(order);
  order->done(std::move(order->answers));
}

}  // namespace eilbote
