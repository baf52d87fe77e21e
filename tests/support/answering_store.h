// A store without a database: every operation of its outbox, its care, its feed and its publish book gives the answer the test has set, an
// error or an empty success, and takes as long as the test says. For tests of what is put around a store.
#pragma once

#include <optional>

#include "base/clock.h"
#include "store/store.h"

namespace eilbote::test {

struct StoreAnswer {
  FakeClock& clock;
  std::optional<ErrorKind> error{};  // absent: it works
  Duration takes{0};

  template <class T>
  Result<T> give() const {
    clock.advance(takes);
    if (error) return fail(*error, "as the test says");
    return Result<T>{};
  }
};

class AnsweringOutbox final : public Outbox {
 public:
  explicit AnsweringOutbox(const StoreAnswer& answer) : answer_(answer) {}

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob>, AcceptRun) override {
    return answer_.give<std::vector<AcceptOutcome>>();
  }
  Result<ExchangeResult> exchange(const ExchangeRequest&) override { return answer_.give<ExchangeResult>(); }
  Result<JobContents> load_contents(std::span<const JobId>, std::span<const JobId>) override {
    return answer_.give<JobContents>();
  }
  Result<ActiveLanes> active_lanes() override { return answer_.give<ActiveLanes>(); }
  Result<std::optional<JobRecord>> find(JobId, const std::optional<ClientName>&) override {
    return answer_.give<std::optional<JobRecord>>();
  }
  Result<JobHistory> history(JobId) override { return answer_.give<JobHistory>(); }
  Result<Page> list(const ListQuery&) override { return answer_.give<Page>(); }
  Result<std::vector<ActOutcome>> act(std::span<const JobId>, const ActRequest&) override {
    return answer_.give<std::vector<ActOutcome>>();
  }
  Result<void> check() override { return answer_.give<void>(); }

 private:
  const StoreAnswer& answer_;
};

class AnsweringCare final : public OutboxCare {
 public:
  explicit AnsweringCare(const StoreAnswer& answer) : answer_(answer) {}

  Result<Epoch> start_instance(const std::string&, Duration) override { return answer_.give<Epoch>(); }
  Result<Heartbeat> heartbeat(Epoch, Duration, bool) override { return answer_.give<Heartbeat>(); }
  Result<bool> take_turn(const std::string&, Epoch, Duration) override { return answer_.give<bool>(); }
  Result<void> end_instance(Epoch) override { return answer_.give<void>(); }
  Result<int> reconcile(Epoch, std::span<const JobId>) override { return answer_.give<int>(); }
  Result<std::vector<ClaimedJob>> orphans(const std::string&, int) override {
    return answer_.give<std::vector<ClaimedJob>>();
  }
  Result<SweepResult> rescue(const RescueParams&) override { return answer_.give<SweepResult>(); }
  Result<SweepResult> sweep(const SweepParams&) override { return answer_.give<SweepResult>(); }
  Result<OutboxStats> stats() override { return answer_.give<OutboxStats>(); }

 private:
  const StoreAnswer& answer_;
};

class AnsweringFeed final : public StatusFeed {
 public:
  explicit AnsweringFeed(const StoreAnswer& answer) : answer_(answer) {}

  Result<std::vector<UntoldChange>> untold(int) override { return answer_.give<std::vector<UntoldChange>>(); }
  Result<void> told(std::span<const UntoldChange>) override { return answer_.give<void>(); }

 private:
  const StoreAnswer& answer_;
};

class AnsweringPublishing final : public PublishBook {
 public:
  explicit AnsweringPublishing(const StoreAnswer& answer) : answer_(answer) {}

  Result<PublishResult> publish_round(const PublishRequest&) override {
    return answer_.give<PublishResult>();
  }
  Result<int> release_unheld(Epoch, std::span<const JobId>) override { return answer_.give<int>(); }
  Result<void> pause_lanes(std::span<const LaneId>, Duration) override { return answer_.give<void>(); }
  Result<std::vector<PausedLane>> paused_lanes() override { return answer_.give<std::vector<PausedLane>>(); }
  Result<std::vector<DeadLetter>> untold_dead(int) override {
    return answer_.give<std::vector<DeadLetter>>();
  }
  Result<void> told_dead(std::span<const DeadLetter>) override { return answer_.give<void>(); }

 private:
  const StoreAnswer& answer_;
};

}  // namespace eilbote::test
