#include "channel/fallback_channel.h"

#include <algorithm>

#include "base/log.h"
#include "base/mutex.h"
#include "metrics/metrics.h"

namespace eilbote {
namespace {

bool is_handed_over(const DeliveryResult& result) {
  return std::any_of(result.recipients.begin(), result.recipients.end(),
                     [](const RecipientResult& one) { return one.status != RecipientStatus::waiting; });
}

class FallbackChannel final : public MailChannel {
 public:
  FallbackChannel(std::unique_ptr<MailChannel> first, std::unique_ptr<MailChannel> second, BreakerRules rules,
                  const Clock& clock, Metrics& metrics)
      : clock_(clock),
        metrics_(metrics),
        breaker_(rules),
        second_(std::move(second)),
        first_(std::move(first)) {}

  const std::string& route() const override { return first_->route(); }

  void deliver(MailDelivery delivery, Done done) override {
    probe_first();
    if (!first_works()) return deliver_second(std::move(delivery), std::move(done));
    auto kept = std::make_shared<MailDelivery>(delivery);
    first_->deliver(std::move(delivery), [this, kept, done = std::move(done)](DeliveryResult result) mutable {
      const bool is_down = result.verdict == Verdict::route_fault && result.smtp_code < 500;
      if (!is_down || is_handed_over(result)) return done(std::move(result));
      note([&](Breaker& breaker) { breaker.on_result(result.verdict, result.text, clock_.steady_now()); });
      deliver_second(std::move(*kept), std::move(done));
    });
  }

  // Good when either works.
  void probe(std::function<void(Result<void>)> done) override {
    first_->probe([this, done = std::move(done)](const Result<void>& first) mutable {
      note([&](Breaker& breaker) { first ? breaker.reset() : void(); });
      if (first) return done({});
      second_->probe([first, done = std::move(done)](const Result<void>& second) {
        if (second) return done({});
        done(fail(ErrorKind::unavailable,
                  first.error().message + "; and the fallback: " + second.error().message));
      });
    });
  }

  void settled(std::span<const Lease> leases) override {
    first_->settled(leases);
    second_->settled(leases);
  }
  void release_waiting() override {
    first_->release_waiting();
    second_->release_waiting();
  }

 private:
  bool first_works() const {
    const MutexLock lock(mutex_);
    return breaker_.lets_through();
  }

  void deliver_second(MailDelivery delivery, Done done) {
    second_->deliver(std::move(delivery),
                     [route = second_->route(), done = std::move(done)](DeliveryResult result) {
                       result.route = route;
                       done(std::move(result));
                     });
  }

  template <class Change>
  void note(Change change) {
    BreakerState before, after;
    {
      const MutexLock lock(mutex_);
      before = breaker_.state();
      change(breaker_);
      after = breaker_.state();
    }
    const bool was_closed = before == BreakerState::closed, is_closed = after == BreakerState::closed;
    if (was_closed == is_closed) return;
    metrics_.set(Metric::fallback_used, is_closed ? 0 : 1, {first_->route()});
    if (is_closed)
      log::info("the first relay is back: mails take it again", {{"route", first_->route()}});
    else
      log::error("the first relay is down: mails take the second until it is back",
                 {{"route", first_->route()}, {"fallback", second_->route()}});
  }

  void probe_first() {
    {
      const MutexLock lock(mutex_);
      if (!breaker_.take_probe(clock_.steady_now())) return;
    }
    first_->probe([this](const Result<void>& result) {
      note([&](Breaker& breaker) {
        breaker.on_probe(result.has_value(), result ? "" : result.error().message, clock_.steady_now());
      });
    });
  }

  const Clock& clock_;
  Metrics& metrics_;
  mutable Mutex mutex_;
  Breaker breaker_ EILBOTE_GUARDED_BY(mutex_);
  // The first goes first: its thread hands mails to the second until it has ended.
  std::unique_ptr<MailChannel> second_, first_;
};

}  // namespace

std::unique_ptr<MailChannel> make_fallback_channel(std::unique_ptr<MailChannel> first,
                                                   std::unique_ptr<MailChannel> second, BreakerRules rules,
                                                   const Clock& clock, Metrics& metrics) {
  return std::make_unique<FallbackChannel>(std::move(first), std::move(second), rules, clock, metrics);
}

}  // namespace eilbote
