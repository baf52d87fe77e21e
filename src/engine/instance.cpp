#include "engine/instance.h"

#include "base/log.h"

namespace eilbote {
namespace {

std::int64_t micros(Clock::Steady at) {
  return std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
}

// The part of the lease kept back for what was already on its way when trust ended.
Duration margin(Duration lease) {
  return std::max<Duration>(lease / 5, std::chrono::milliseconds{200});
}

}  // namespace

Instance::Instance(OutboxCare& care, const Clock& clock, std::string name, Duration lease, bool takes_homes)
    : care_(care), clock_(clock), name_(std::move(name)), lease_(lease), takes_homes_(takes_homes) {}

Result<void> Instance::begin() {
  const auto asked = clock_.steady_now();
  const auto epoch = care_.start_instance(name_, lease_);
  if (!epoch) return fail(epoch.error().with_context("start instance"));
  {
    const MutexLock lock(mutex_);
    homes_.clear();
  }
  epoch_ = epoch->value();
  trusted_until_ = micros(asked + lease_ - margin(lease_));
  return {};
}

Result<void> Instance::beat() {
  const auto asked = clock_.steady_now();
  const auto beat = care_.heartbeat(epoch(), lease_, takes_homes_);
  if (!beat) return fail(beat.error().with_context("heartbeat"));
  if (!beat->alive) {
    log::warning(
        "this instance was silent for longer than EILBOTE_LEASE_SECONDS; others may have its jobs, and it "
        "goes on with a new lease",
        {{"epoch", epoch().value()}});
    return begin();
  }
  trusted_until_ = micros(asked + lease_ - margin(lease_));
  peers_ = beat->peers;
  const MutexLock lock(mutex_);
  homes_ = beat->home_pools;
  return {};
}

void Instance::end() {
  trusted_until_ = 0;
  if (const auto ended = care_.end_instance(epoch()); !ended)
    log::warning("this instance could not sign off; its jobs are free after EILBOTE_LEASE_SECONDS",
                 {{"error", ended.error().message}});
}

bool Instance::trusted() const {
  return micros(clock_.steady_now()) < trusted_until_.load();
}

std::vector<std::string> Instance::home_pools() const {
  if (!trusted()) return {};
  const MutexLock lock(mutex_);
  return homes_;
}

}  // namespace eilbote
