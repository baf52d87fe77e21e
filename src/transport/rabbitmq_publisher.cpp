#include "transport/rabbitmq_publisher.h"

#include <algorithm>

#include "base/log.h"
#include "transport/carriage_counts.h"

namespace eilbote {
namespace {

constexpr std::size_t kHandedInMax = 50'000;     // parcels that the thread has not seen yet; more are refused
constexpr std::size_t kWritesBetweenReads = 64;  // confirms are taken while a long batch goes out
constexpr std::chrono::milliseconds kServeWait{1000};

std::string queue_text(CarrierQueue queue) {
  return std::string(kCarrierQueueNames.text(queue));
}

}  // namespace

RabbitPublisher::RabbitPublisher(RabbitPublisherOptions options, LinkWatch& watch, Metrics& metrics,
                                 const Clock& clock)
    : options_(std::move(options)),
      metrics_(metrics),
      clock_(clock),
      told_{false, "not connected yet"},
      line_(options_.endpoint, "publishing", watch, metrics),
      service_("broker-publish", [this](const std::stop_token& stop) { run(stop); }) {}

void RabbitPublisher::start(std::function<void()> ready) {
  ready_ = std::move(ready);
  service_.start();
}

void RabbitPublisher::stop() {
  service_.stop();
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  turn_away();
}

void RabbitPublisher::publish(std::vector<Parcel> parcels, Transport::Published done) {
  auto batch = std::make_shared<ParcelBatch>();
  batch->answers.assign(parcels.size(), Carriage::refused);
  batch->parcels = std::move(parcels);
  batch->done = std::move(done);
  batch->due = clock_.steady_now() + options_.confirm_timeout;
  bool is_taken = false;
  {
    const MutexLock lock(mutex_);
    is_taken = !is_over_ && parcels_handed_in_ + batch->parcels.size() <= kHandedInMax;
    if (is_taken) {
      parcels_handed_in_ += batch->parcels.size();
      handed_in_.push_back(batch);
    }
  }
  if (is_taken)
    line_.bell().ring();
  else
    answer(*batch);
}

std::optional<std::int64_t> RabbitPublisher::waiting(CarrierQueue queue) {
  const QueueDepths::Answer known = depths_.waiting(queue, clock_.steady_now());
  if (known.ask) line_.bell().ring();
  return known.messages;
}

TransportState RabbitPublisher::state() const {
  const MutexLock lock(mutex_);
  return told_;
}

void RabbitPublisher::run(const std::stop_token& stop) {
  line_.run(stop, {.prepare = [this] { return prepare(); },
                   .serve = [this] { return serve(); },
                   .lost = [this](const std::string& why) { lost(why); },
                   .disturbed = [this] { turn_away(); }});
  lost("stopped");
}

Result<void> RabbitPublisher::prepare() {
  if (auto declared = declare_queues(); !declared) return declared;
  if (auto confirms = line_.connection().confirm_publishing(); !confirms) return confirms;
  turn_away();
  return {};
}

Result<void> RabbitPublisher::declare_queues() {
  for (const CarrierQueue queue : options_.queues) {
    auto messages = line_.connection().declare(queue_text(queue));
    if (!messages) return fail(messages.error());
    depths_.heard(queue, *messages);
  }
  return {};
}

Result<void> RabbitPublisher::serve() {
  tell(true, "");
  ready_();
  while (!line_.is_stopping()) {
    if (auto wrote = write_handed_in(); !wrote) return wrote;
    auto more = take_events();
    if (!more) return fail(more.error());
    if (auto mended = mend_queues(); !mended) return mended;
    if (auto asked = ask_depths(); !asked) return asked;
    if (auto in_time = check_time(); !in_time) return in_time;
    set_cut();
    if (*more) continue;
    Steady until = clock_.steady_now() + kServeWait;
    if (!under_way_.empty()) until = std::min(until, under_way_.front()->due);
    const auto next = mend_due_ ? mend_due_ : depths_.next_due();
    if (next && blocked_.empty()) until = std::min(until, *next);
    line_.wait(until);
  }
  return {};
}

void RabbitPublisher::lost(const std::string& why) {
  tell(false, why);
  depths_.forget();
  blocked_.clear();
  mend_due_.reset();
  book_.lose_all();
  answer_finished();
  turn_away();
}

Result<void> RabbitPublisher::write_handed_in() {
  const std::deque<SharedBatch> batches = take_handed_in();
  under_way_.insert(under_way_.end(), batches.begin(), batches.end());
  Result<void> written;
  for (const SharedBatch& batch : batches) {
    if (written && blocked_.empty() && !line_.is_stopping()) written = write(batch);
    batch->is_written = true;  // also when it is not: nothing more of it will be
  }
  return written;
}

// What is not written any more stays refused.
Result<void> RabbitPublisher::write(const SharedBatch& batch) {
  set_cut();
  for (std::size_t i = 0; i < batch->parcels.size(); ++i) {
    const Parcel& parcel = batch->parcels[i];
    book_.wrote(batch, i);  // first: a part of it may get there also when the writing fails
    const std::string queue = queue_text(parcel.queue);
    auto written = line_.connection().publish(
        {.queue = queue, .id = parcel.id, .type = queue, .body = parcel.body, .at = clock_.now()});
    if (!written) return written;
    depths_.published(parcel.queue);
    if ((i + 1) % kWritesBetweenReads != 0) continue;
    if (auto took = take_events(); !took) return fail(took.error());
    if (!blocked_.empty()) return {};
  }
  return {};
}

Result<bool> RabbitPublisher::take_events() {
  std::vector<RabbitEvent> events;
  auto more = line_.connection().read(events);
  for (const RabbitEvent& event : events)
    if (auto taken = take(event); !taken) return fail(taken.error());
  answer_finished();
  return more;
}

Result<void> RabbitPublisher::take(const RabbitEvent& event) {
  if (const auto* const confirm = std::get_if<RabbitConfirm>(&event)) {
    book_.confirmed(confirm->number, confirm->multiple, confirm->ok);
  } else if (const auto* const returned = std::get_if<RabbitReturn>(&event)) {
    // The queue is gone. Asked for, it is missed, and then declared.
    book_.returned(returned->message_id);
    return mend_due_ ? Result<void>{} : line_.connection().ask_depth(returned->queue);
  } else if (const auto* const depth = std::get_if<RabbitDepth>(&event)) {
    if (const auto queue = kCarrierQueueNames.parse(depth->queue)) depths_.heard(*queue, depth->messages);
  } else if (const auto* const blocked = std::get_if<RabbitBlocked>(&event)) {
    set_blocked(blocked->reason);
  } else if (const auto* const gone = std::get_if<RabbitDepthLost>(&event)) {
    log::warning("broker: a queue is gone, declared anew soon", {{"reason", gone->reason}});
    depths_.drop_questions();
    if (!mend_due_) mend_due_ = clock_.steady_now() + kDeletedQueueRest;
  }
  return {};
}

Result<void> RabbitPublisher::ask_depths() {
  // Blocked, it does not read the question either.
  if (!blocked_.empty() || mend_due_) return {};
  for (const CarrierQueue queue : depths_.take_due(clock_.steady_now()))
    if (auto asked = line_.connection().ask_depth(queue_text(queue)); !asked) return asked;
  return {};
}

Result<void> RabbitPublisher::mend_queues() {
  if (!mend_due_ || clock_.steady_now() < *mend_due_ || !blocked_.empty()) return {};
  mend_due_.reset();
  return declare_queues();
}

Result<void> RabbitPublisher::check_time() {
  const Steady now = clock_.steady_now();
  const auto late = [&](const SharedBatch& batch) { return batch->due <= now; };
  if (std::any_of(under_way_.begin(), under_way_.end(), late)) {
    // A broker that takes nothing does not confirm either, and a new connection would be no better.
    if (blocked_.empty())
      return fail(ErrorKind::unavailable, "it does not confirm what is published in time");
    for (const SharedBatch& batch : under_way_)
      if (late(batch)) book_.give_up(batch);
    answer_finished();
  }
  const auto asked = depths_.open_since();
  if (asked && blocked_.empty() && *asked + options_.confirm_timeout <= now)
    return fail(ErrorKind::unavailable, "it does not answer");
  return {};
}

// Whatever the connection waits for: answers are given in time, and a broker that does not read is found out.
void RabbitPublisher::set_cut() {
  std::optional<Steady> due;
  if (!under_way_.empty()) due = under_way_.front()->due;
  if (const auto asked = depths_.open_since())
    due = due ? std::min(*due, *asked + options_.confirm_timeout) : *asked + options_.confirm_timeout;
  line_.cut_at(blocked_.empty() ? due : std::nullopt);
}

void RabbitPublisher::tell(bool connected, std::string detail) {
  metrics_.set(Metric::broker_connected,
               connected ? 1 : 0);  // whoever reads the state finds the gauge to agree
  const MutexLock lock(mutex_);
  told_ = {connected, std::move(detail)};
}

void RabbitPublisher::set_blocked(std::string reason) {
  const bool was_blocked = !blocked_.empty();
  blocked_ = std::move(reason);
  if (!blocked_.empty()) {
    log::warning("broker: it takes no messages", {{"reason", blocked_}});
    tell(false, "the broker takes no messages: " + blocked_);
  } else if (was_blocked) {
    log::info("broker: it takes messages again", {});
    depths_.drop_questions();
    tell(true, "");
    ready_();
  }
}

std::deque<SharedBatch> RabbitPublisher::take_handed_in() {
  const MutexLock lock(mutex_);
  parcels_handed_in_ = 0;
  return std::exchange(handed_in_, {});
}

void RabbitPublisher::turn_away() {
  for (const SharedBatch& batch : take_handed_in())
    answer(*batch);
}

void RabbitPublisher::answer_finished() {
  std::vector<SharedBatch> finished;
  std::erase_if(under_way_, [&](const SharedBatch& batch) {
    if (batch->is_answered()) finished.push_back(batch);
    return batch->is_answered();
  });
  for (const SharedBatch& batch : finished)
    answer(*batch);
}

void RabbitPublisher::answer(ParcelBatch& batch) {
  for (std::size_t i = 0; i < batch.parcels.size(); ++i)
    count_carriage(metrics_, batch.parcels[i].queue, batch.answers[i]);
  if (batch.done) batch.done(std::move(batch.answers));
}

}  // namespace eilbote
