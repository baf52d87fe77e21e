#include "transport/sqs_consumer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace eilbote {
namespace {

constexpr int kReceiversMax = 4;  // receives on their way, per queue
constexpr int kDeleteRequestsMax = 4;
constexpr int kQueueBits = 3;  // of a receipt; the rest is its number
static_assert(kCarrierQueueNames.entries.size() <= (1U << kQueueBits));

}  // namespace

SqsConsumer::SqsConsumer(CarrierQueue queue, int prefetch, const SqsTiming& timing, SqsQueues& queues,
                         SqsDoor& door, SqsLoop& loop, Random& random, ReceiveState& state, Arrive arrive)
    : queue_(queue),
      prefetch_(prefetch),
      timing_(timing),
      queues_(queues),
      door_(door),
      loop_(loop),
      random_(random),
      state_(state),
      arrive_(std::move(arrive)),
      held_(timing.visibility) {}

CarrierQueue SqsConsumer::queue_of(Receipt receipt) {
  return static_cast<CarrierQueue>(receipt & ((1U << kQueueBits) - 1));
}

void SqsConsumer::go_on() {
  receive_not_before_ = delete_not_before_ = {};
  receive_more();
  delete_more();
}

void SqsConsumer::receive_more() {
  if (is_leaving_ || loop_.now() < receive_not_before_) return;
  while (receivers_ < receivers_wanted_ && queues_.address(queue_) != nullptr) {
    const int room = prefetch_ - static_cast<int>(held_.size()) - asked_for_;
    if (room <= 0) return;
    receive(std::min(room, static_cast<int>(kSqsBatchMax)));
  }
}

void SqsConsumer::receive(int messages_max) {
  ++receivers_;
  asked_for_ += messages_max;
  const SqsReceive wanted{messages_max, static_cast<int>(timing_.poll.count()),
                          static_cast<int>(timing_.visibility.count())};
  door_.call({SqsAction::receive_message, sqs_receive_body(*queues_.address(queue_), wanted),
              timing_.poll + timing_.beyond_poll},
             [this, messages_max](const SqsAnswer& answer) { received(messages_max, answer); });
}

void SqsConsumer::received(int asked_for, const SqsAnswer& answer) {
  --receivers_;
  asked_for_ -= asked_for;
  if (answer.error) {
    receive_failed(answer.error);
    return;
  }
  if (std::exchange(receive_failures_, 0) > 0) state_.works(queue_);
  const std::vector<SqsMessage> messages = sqs_messages(answer.body);
  receivers_wanted_ = messages.empty() ? 1 : std::min(kReceiversMax, receivers_wanted_ + 1);
  take(messages);
  receive_more();
}

void SqsConsumer::take(const std::vector<SqsMessage>& messages) {
  std::vector<Arrival> arrivals;
  for (const SqsMessage& message : messages) {
    if (!message.is_whole) {
      // Not acknowledged: it comes again, whole perhaps.
      log::warning("a message from SQS does not fit its checksum", {{"message", message.id}});
      continue;
    }
    const Receipt receipt = ((given_ + 1) << kQueueBits) | static_cast<Receipt>(queue_);
    if (!held_.take(message, receipt, loop_.now())) continue;
    ++given_;
    arrivals.push_back({queue_, receipt, message.body, message.receive_count > 1});
  }
  if (is_leaving_) return give_back(held_.give_up());
  watch_extensions();
  delete_more();
  if (!arrivals.empty()) arrive_(std::move(arrivals));
}

void SqsConsumer::receive_failed(const SqsError& error) {
  queues_.judge(queue_, error);
  receivers_wanted_ = 1;
  if (loop_.now() < receive_not_before_) return;  // those that went out together fail together
  if (receive_failures_ == 0)
    log::warning("SQS gives no messages",
                 {{"queue", kCarrierQueueNames.text(queue_)}, {"why", error.detail}});
  state_.fails(queue_, error.detail);
  const Duration wait = sqs_backoff(timing_, ++receive_failures_, random_);
  receive_not_before_ = loop_.now() + wait;
  loop_.after(wait, [this] { receive_more(); });
}

void SqsConsumer::watch_extensions() {
  const auto next = held_.next_extension();
  if (watches_ || !next || is_leaving_) return;
  watches_ = true;
  const Duration wait = std::chrono::ceil<Duration>(*next - loop_.now());
  loop_.after(std::max(wait, Duration{}), [this] {
    watches_ = false;
    extend();
    watch_extensions();
  });
}

void SqsConsumer::extend() {
  const std::string* address = queues_.address(queue_);
  if (is_leaving_) return;
  const Clock::Steady now = loop_.now();
  for (auto due = held_.to_extend(now, kSqsBatchMax); !due.empty();
       due = held_.to_extend(now, kSqsBatchMax)) {
    if (address == nullptr) continue;
    std::vector<std::string> handles;
    handles.reserve(due.size());
    for (const Receipt receipt : due)
      handles.push_back(held_.handle(receipt));
    const std::string body =
        sqs_visibility_body(*address, handles, static_cast<int>(timing_.visibility.count()));
    door_.call(
        {SqsAction::change_message_visibility_batch, body, timing_.request},
        [this, due, handles, now](const SqsAnswer& answer) { extend_answered(due, handles, now, answer); });
  }
}

void SqsConsumer::extend_answered(const std::vector<Receipt>& receipts,
                                  const std::vector<std::string>& handles, Clock::Steady asked_at,
                                  const SqsAnswer& answer) {
  if (answer.error) return queues_.judge(queue_, answer.error);
  const std::vector<SqsEntry> entries = sqs_entries(answer.body, receipts.size());
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    if (held_.handle(receipts[i]) != handles[i]) continue;  // acknowledged, or it came again
    if (entries[i].outcome == SqsEntry::Outcome::done) held_.extended(receipts[i], asked_at);
    if (entries[i].outcome == SqsEntry::Outcome::wrong) held_.expired(receipts[i]);
  }
}

void SqsConsumer::acknowledge(const std::vector<Receipt>& receipts) {
  for (const Receipt receipt : receipts)
    held_.acknowledge(receipt);
  delete_more();
  receive_more();
}

void SqsConsumer::delete_more() {
  if (is_leaving_ || loop_.now() < delete_not_before_ || queues_.address(queue_) == nullptr) return;
  // While one request is on its way the next ones gather, so that few go with few in them.
  while (held_.deletions() > 0 && deleting_.size() < kDeleteRequestsMax &&
         (deleting_.empty() || held_.deletions() >= kSqsBatchMax))
    send_deletions(held_.next_deletions(kSqsBatchMax));
}

void SqsConsumer::send_deletions(Deletions batch) {
  std::vector<std::string> handles;
  for (const SqsHeld::Deletion& deletion : batch)
    handles.push_back(deletion.handle);
  const int number = ++deletions_sent_;
  deleting_[number] = std::move(batch);
  door_.call(
      {SqsAction::delete_message_batch, sqs_delete_body(*queues_.address(queue_), handles), timing_.request},
      [this, number](const SqsAnswer& answer) { delete_answered(number, answer); });
}

void SqsConsumer::delete_answered(int number, const SqsAnswer& answer) {
  const auto found = deleting_.find(number);
  if (found == deleting_.end()) return;  // it is sent again, for the farewell
  Deletions batch = std::move(found->second);
  deleting_.erase(found);
  queues_.judge(queue_, answer.error);
  const SqsFault fault = answer.error.fault;
  const bool is_hopeless = fault == SqsFault::no_queue || fault == SqsFault::refused;
  const std::vector<SqsEntry> entries = sqs_entries(answer.body, batch.size());
  bool all_done = true;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const SqsEntry::Outcome outcome = entries[i].outcome;
    // A handle that is not taken is too old: the message comes again, and is deleted then.
    if (is_hopeless || outcome == SqsEntry::Outcome::done || outcome == SqsEntry::Outcome::wrong) {
      held_.deleted();
    } else {
      held_.delete_again(std::move(batch[i]), loop_.now());
      all_done = false;
    }
  }
  if (is_leaving_) return farewell_answered();
  if (all_done)
    delete_failures_ = 0;
  else
    delete_later(answer.error);
  delete_more();
  receive_more();
}

void SqsConsumer::delete_later(const SqsError& error) {
  if (loop_.now() < delete_not_before_) return;
  if (delete_failures_ == 0)
    log::warning("SQS deletes no messages",
                 {{"queue", kCarrierQueueNames.text(queue_)}, {"why", error.detail}});
  const Duration wait = sqs_backoff(timing_, ++delete_failures_, random_);
  delete_not_before_ = loop_.now() + wait;
  loop_.after(wait, [this] { delete_more(); });
}

void SqsConsumer::say_farewell(std::function<void()> done) {
  is_leaving_ = true;
  on_farewell_ = std::move(done);
  ++farewells_;  // until everything is on its way
  for (auto& [number, batch] : std::exchange(deleting_, {}))
    for (SqsHeld::Deletion& deletion : batch)
      held_.delete_again(std::move(deletion), loop_.now());
  if (queues_.address(queue_) != nullptr) {
    while (held_.deletions() > 0) {
      ++farewells_;
      send_deletions(held_.next_deletions(kSqsBatchMax));
    }
    give_back(held_.give_up());
  }
  farewell_answered();
}

void SqsConsumer::give_back(std::vector<std::string> handles) {
  const std::string* address = queues_.address(queue_);
  if (address == nullptr) return;
  for (std::span<const std::string> left(handles); !left.empty();) {
    const auto batch = left.first(std::min(left.size(), kSqsBatchMax));
    left = left.subspan(batch.size());
    ++farewells_;
    door_.call({SqsAction::change_message_visibility_batch, sqs_visibility_body(*address, batch, 0),
                timing_.farewell},
               [this](const SqsAnswer&) { farewell_answered(); });
  }
}

void SqsConsumer::farewell_answered() {
  if (--farewells_ == 0 && on_farewell_) std::exchange(on_farewell_, {})();
}

}  // namespace eilbote
