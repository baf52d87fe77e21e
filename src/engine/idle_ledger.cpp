#include "engine/idle_ledger.h"

#include <fmt/format.h>

namespace eilbote {
namespace {

class IdleLedger final : public Ledger {
 public:
  explicit IdleLedger(std::string_view role) : not_here_(delivers_nothing(role)) {}

  void start() override {}
  void stop(Duration) override {}
  void wake(std::span<const LaneId>) override {}
  void wake_all() override {}
  // Nobody consumes here. An offer that came all the same is not acknowledged, so it goes back to the broker.
  void offer(std::vector<Offer>) override {}

  void dispatch(DispatchOrder, std::function<void(Result<DispatchReport>)> done) override {
    done(fail(ErrorKind::unavailable, not_here_));
  }

  bool holds(const Lease&) const override { return false; }
  std::vector<JobId> held_webhooks() const override { return {}; }
  std::vector<BreakerView> breakers() const override { return {}; }
  bool reset_breaker(const std::string&) override { return false; }
  // What holds a job back is known to those who would deliver it.
  std::optional<std::string> held_back(const Job&) const override { return not_here_; }

 private:
  const std::string not_here_;
};

}  // namespace

std::string delivers_nothing(std::string_view role) {
  return fmt::format(
      "this instance has the role {} and delivers nothing; ask one with the role worker or all", role);
}

std::unique_ptr<Ledger> make_idle_ledger(std::string_view role) {
  return std::make_unique<IdleLedger>(role);
}

}  // namespace eilbote
