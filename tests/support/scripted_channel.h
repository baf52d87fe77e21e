// A mail channel whose answers the test gives: deliveries wait until the test takes them and says what came
// of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "ports/channel.h"

namespace eilbote::test {

class ScriptedChannel final : public MailChannel {
 public:
  struct Open {
    MailDelivery delivery;
    Done done;
  };

  const std::string& route() const override { return route_; }
  void deliver(MailDelivery delivery, Done done) override {
    const std::lock_guard lock(mutex_);
    open_.push_back({std::move(delivery), std::move(done)});
    ++delivered_;
    arrived_.notify_all();
  }
  void probe(std::function<void(Result<void>)> done) override {
    Result<void> answer;
    {
      const std::lock_guard lock(mutex_);
      ++probes_;
      arrived_.notify_all();
      answer = probe_answer_;
    }
    done(answer);
  }
  void settled(std::span<const Lease> leases) override {
    const std::lock_guard lock(mutex_);
    forgotten_ += leases.size();
  }
  void release_waiting() override {
    std::deque<Open> released;
    {
      const std::lock_guard lock(mutex_);
      released.swap(open_);
    }
    for (Open& one : released)
      one.done(DeliveryResult{});
  }

  // The next delivery; throws when none comes in time.
  Open next(std::chrono::milliseconds patience = std::chrono::seconds{10}) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [&] { return !open_.empty(); }))
      throw std::runtime_error("no delivery came");
    Open one = std::move(open_.front());
    open_.pop_front();
    return one;
  }
  // Whether one comes within this time.
  bool comes(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, patience, [&] { return !open_.empty(); });
  }
  int delivered() const {
    const std::lock_guard lock(mutex_);
    return delivered_;
  }
  std::size_t forgotten() const {
    const std::lock_guard lock(mutex_);
    return forgotten_;
  }
  bool wait_for_probes(int n, std::chrono::milliseconds patience = std::chrono::seconds{10}) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, patience, [&] { return probes_ >= n; });
  }
  void set_probe_answer(Result<void> answer) {
    const std::lock_guard lock(mutex_);
    probe_answer_ = std::move(answer);
  }

  static DeliveryResult taken(const MailDelivery& delivery) {
    DeliveryResult result;
    result.verdict = Verdict::delivered;
    for (std::size_t i = 0; i < delivery.content.recipients.size(); ++i)
      result.recipients.push_back({static_cast<int>(i), RecipientStatus::taken, "ok"});
    return result;
  }
  static DeliveryResult failed(Verdict verdict, const std::string& text) {
    DeliveryResult result;
    result.verdict = verdict;
    result.attempt_status = AttemptStatus::SERVER_ERROR;
    result.code = "TEST";
    result.text = text;
    return result;
  }

 private:
  const std::string route_ = "scripted";
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Open> open_;
  int delivered_ = 0;
  std::size_t forgotten_ = 0;  // answers that were committed
  int probes_ = 0;
  Result<void> probe_answer_;
};

}  // namespace eilbote::test
