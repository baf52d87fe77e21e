// An outbox that hands every operation to another one, unchanged: the base of those that change or watch a few of them and
// leave the rest alone (sealed, measured; faulty in tests). Promises nothing of its own.
#pragma once

#include <memory>
#include <utility>

#include "ports/outbox.h"

namespace eilbote {

class ForwardingOutbox : public Outbox {
 public:
  // `real` outlives it.
  explicit ForwardingOutbox(Outbox& real) : real_(real) {}
  explicit ForwardingOutbox(std::unique_ptr<Outbox> real) : owned_(std::move(real)), real_(*owned_) {}

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    return real_.accept(jobs, run);
  }
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override { return real_.exchange(request); }
  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override {
    return real_.load_contents(mails, webhooks);
  }
  Result<ActiveLanes> active_lanes() override { return real_.active_lanes(); }
  Result<std::optional<JobRecord>> find(JobId id, const std::optional<ClientName>& client) override {
    return real_.find(id, client);
  }
  Result<JobHistory> history(JobId id) override { return real_.history(id); }
  Result<Page> list(const ListQuery& query) override { return real_.list(query); }
  Result<std::vector<ActOutcome>> act(std::span<const JobId> ids, const ActRequest& request) override {
    return real_.act(ids, request);
  }
  Result<void> check() override { return real_.check(); }

 protected:
  Outbox& real() { return real_; }

 private:
  const std::unique_ptr<Outbox> owned_;  // null: somebody else's
  Outbox& real_;
};

}  // namespace eilbote
