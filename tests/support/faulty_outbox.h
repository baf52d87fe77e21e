// A real outbox with faults on demand: an operation can be made to fail before it happens, or to happen and
// lose its answer. Everything else goes straight through.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "store/forwarding_outbox.h"

namespace eilbote::test {

class FaultyOutbox final : public ForwardingOutbox {
 public:
  explicit FaultyOutbox(Outbox& real) : ForwardingOutbox(real) {}

  // Asked before each accept, exchange or load; an error is returned instead of doing it.
  std::function<std::optional<Error>(std::span<const NewJob>, AcceptRun)> before_accept;
  std::function<std::optional<Error>(const ExchangeRequest&)> before_exchange;
  std::function<std::optional<Error>()> before_load;
  // The next n answers get lost after the commit.
  std::atomic<int> lose_accept_answers{0};
  std::atomic<int> lose_exchange_answers{0};
  std::atomic<std::size_t> lose_only_from{0};  // of these, the answers to at least so many outcomes

  Result<std::vector<AcceptOutcome>> accept(std::span<const NewJob> jobs, AcceptRun run) override {
    if (before_accept)
      if (auto error = before_accept(jobs, run)) return fail(*error);
    auto result = real().accept(jobs, run);
    if (take(lose_accept_answers)) return fail(ErrorKind::ambiguous, "the answer was lost");
    return result;
  }
  Result<ExchangeResult> exchange(const ExchangeRequest& request) override {
    if (before_exchange)
      if (auto error = before_exchange(request)) return fail(*error);
    auto result = real().exchange(request);
    if (request.settlements.size() >= lose_only_from && take(lose_exchange_answers))
      return fail(ErrorKind::ambiguous, "the answer was lost");
    return result;
  }

  Result<JobContents> load_contents(std::span<const JobId> mails, std::span<const JobId> webhooks) override {
    if (before_load)
      if (auto error = before_load()) return fail(*error);
    return real().load_contents(mails, webhooks);
  }

 private:
  static bool take(std::atomic<int>& left) {
    int n = left.load();
    while (n > 0)
      if (left.compare_exchange_weak(n, n - 1)) return true;
    return false;
  }
};

}  // namespace eilbote::test
