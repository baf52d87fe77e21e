// An outbox of which nothing works but the look at its lanes, which are those of a MemoryPublishBook.
#pragma once

#include "ports/outbox.h"
#include "support/memory_publish_book.h"

namespace eilbote::test {

class LanesOutbox final : public Outbox {
 public:
  explicit LanesOutbox(const MemoryPublishBook& book) : book_(book) {}

  Result<ActiveLanes> active_lanes() override { return book_.active_lanes(); }

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob>, AcceptRun) override { return nothing(); }
  Result<ExchangeResult> exchange(const ExchangeRequest&) override { return nothing(); }
  Result<JobContents> load_contents(std::span<const JobId>, std::span<const JobId>) override {
    return nothing();
  }
  Result<std::optional<JobRecord>> find(JobId, const std::optional<ClientName>&) override {
    return nothing();
  }
  Result<JobHistory> history(JobId) override { return nothing(); }
  Result<Page> list(const ListQuery&) override { return nothing(); }
  Result<std::vector<ActOutcome>> act(std::span<const JobId>, const ActRequest&) override {
    return nothing();
  }
  Result<void> check() override { return nothing(); }

 private:
  static tl::unexpected<Error> nothing() { return fail(ErrorKind::internal, "not in this test"); }

  const MemoryPublishBook& book_;
};

}  // namespace eilbote::test
