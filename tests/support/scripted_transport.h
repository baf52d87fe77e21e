// A broker whose answers a test gives by hand: what was published is kept, and answered when and as the test says, on the
// test's own thread. For tests of whoever publishes or takes arrivals.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "ports/transport.h"

namespace eilbote::test {

class ScriptedTransport final : public Transport {
 public:
  // ---- what the test says ----

  // While it is set, every publish is answered so at once.
  void answer_all_with(std::optional<Carriage> carriage) {
    const std::lock_guard lock(mutex_);
    automatic_ = carriage;
  }
  // A queue that takes nothing, whatever is set for the others.
  void refuse_queue(CarrierQueue queue, bool refuses = true) {
    const std::lock_guard lock(mutex_);
    if (refuses)
      refusing_.insert(queue);
    else
      refusing_.erase(queue);
  }
  void set_connected(bool connected) {
    std::function<void()> ready;
    {
      const std::lock_guard lock(mutex_);
      state_ = {connected, connected ? "" : "away, as the test says"};
      if (connected) ready = hooks_.ready;
    }
    if (ready) ready();
  }
  void set_waiting(CarrierQueue queue, std::optional<std::int64_t> waiting) {
    const std::lock_guard lock(mutex_);
    waiting_[queue] = waiting;
  }
  // Answers the oldest publish that waits: all its parcels alike, or one by one. False: none waits.
  bool answer(Carriage carriage) {
    return answer_by(
        [&](const std::vector<Parcel>& parcels) { return std::vector<Carriage>(parcels.size(), carriage); });
  }
  bool answer(std::vector<Carriage> carriages) {
    return answer_by([&](const std::vector<Parcel>&) { return std::move(carriages); });
  }
  // Messages come out of the broker.
  void deliver(std::vector<Arrival> arrivals) {
    std::function<void(std::vector<Arrival>)> arrive;
    {
      const std::lock_guard lock(mutex_);
      arrive = hooks_.arrive;
    }
    if (arrive) arrive(std::move(arrivals));
  }

  // ---- what the test sees ----

  std::size_t open() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  std::vector<Parcel> published() const {
    const std::lock_guard lock(mutex_);
    return published_;
  }
  std::vector<std::size_t> batches() const {
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  std::vector<Receipt> acknowledged() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  int announced() const {
    const std::lock_guard lock(mutex_);
    return announced_;
  }

  // ---- the port ----

  bool carries_jobs() const override { return true; }
  void start(Hooks hooks) override {
    const std::lock_guard lock(mutex_);
    hooks_ = std::move(hooks);
  }
  void stop() override {
    while (answer(Carriage::unknown)) {
    }
    const std::lock_guard lock(mutex_);
    hooks_ = {};
  }
  void announce() override {
    const std::lock_guard lock(mutex_);
    ++announced_;
  }
  void publish(std::vector<Parcel> parcels, Published done) override {
    std::vector<Carriage> answers;
    {
      const std::lock_guard lock(mutex_);
      published_.insert(published_.end(), parcels.begin(), parcels.end());
      batches_.push_back(parcels.size());
      if (!automatic_) {
        open_.emplace_back(std::move(parcels), std::move(done));
        return;
      }
      for (const Parcel& parcel : parcels)
        answers.push_back(refusing_.contains(parcel.queue) ? Carriage::refused : *automatic_);
    }
    done(std::move(answers));
  }
  void acknowledge(std::span<const Receipt> receipts) override {
    const std::lock_guard lock(mutex_);
    acknowledged_.insert(acknowledged_.end(), receipts.begin(), receipts.end());
  }
  std::optional<std::int64_t> waiting(CarrierQueue queue) const override {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(queue);
    return found == waiting_.end() ? std::nullopt : found->second;
  }
  TransportState state() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  template <class Answers>
  bool answer_by(Answers answers) {
    std::pair<std::vector<Parcel>, Published> oldest;
    {
      const std::lock_guard lock(mutex_);
      if (open_.empty()) return false;
      oldest = std::move(open_.front());
      open_.pop_front();
    }
    oldest.second(answers(oldest.first));
    return true;
  }

  mutable std::mutex mutex_;
  Hooks hooks_;
  TransportState state_{true, ""};
  std::optional<Carriage> automatic_;
  std::set<CarrierQueue> refusing_;
  std::map<CarrierQueue, std::optional<std::int64_t>> waiting_;
  std::deque<std::pair<std::vector<Parcel>, Published>> open_;
  std::vector<Parcel> published_;
  std::vector<std::size_t> batches_;
  std::vector<Receipt> acknowledged_;
  int announced_ = 0;
};

}  // namespace eilbote::test
