// A real outbox with faults on demand: an operation can be made to fail before it happens, or to happen and
// lose its answer. Everything else goes straight through.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "ports/outbox.h"

namespace eilbote::test {

class FaultyOutbox final : public Outbox {
 public:
  explicit FaultyOutbox(Outbox& real) : real_(real) {}

  // Asked before each accept, exchange or load; an error is returned instead of doing it.
  std::function<std::optional<Error>(std::span<const NewJob>, AcceptRun)> before_accept;
  std::function<std::optional<Error>(const ExchangeRequest&)> before_exchange;
  std::function<std::optional<Error>()> before_load;
  // The next n answers get lost after the commit.
  std::atomic<int> lose_accept_answers{0};
  std::atomic<int> lose_exchange_answers{0};

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    if (before_accept)
      if (auto error = before_accept(jobs, run)) return fail(*error);
    auto result = real_.accept(jobs, run);
    if (take(lose_accept_answers)) return fail(ErrorKind::ambiguous, "the answer was lost");
    return result;
  }
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override {
    if (before_exchange)
      if (auto error = before_exchange(request)) return fail(*error);
    auto result = real_.exchange(request);
    if (take(lose_exchange_answers)) return fail(ErrorKind::ambiguous, "the answer was lost");
    return result;
  }

  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override {
    if (before_load)
      if (auto error = before_load()) return fail(*error);
    return real_.load_contents(mails, webhooks);
  }
  Result<ActiveLanes> active_lanes() override { return real_.active_lanes(); }
  Result<Epoch> start_instance(const std::string& name, Duration lease) override {
    return real_.start_instance(name, lease);
  }
  Result<Heartbeat> heartbeat(Epoch epoch, Duration lease) override { return real_.heartbeat(epoch, lease); }
  Result<void> end_instance(Epoch epoch) override { return real_.end_instance(epoch); }
  Result<int> reconcile(Epoch epoch, std::span<const JobId> held) override {
    return real_.reconcile(epoch, held);
  }
  Result<std::vector<ClaimedJob>> orphans(const std::string& of_instance, int rows_max) override {
    return real_.orphans(of_instance, rows_max);
  }
  Result<SweepResult> sweep(const SweepParams& params) override { return real_.sweep(params); }
  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override {
    return real_.find(id, client);
  }
  Result<JobHistory> history(JobId id) override { return real_.history(id); }
  Result<Page> list(const ListQuery& query) override { return real_.list(query); }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) override {
    return real_.act(ids, request);
  }
  Result<OutboxStats> stats() override { return real_.stats(); }
  Result<void> check() override { return real_.check(); }

 private:
  static bool take(std::atomic<int>& left) {
    int n = left.load();
    while (n > 0)
      if (left.compare_exchange_weak(n, n - 1)) return true;
    return false;
  }
  Outbox& real_;
};

}  // namespace eilbote::test
