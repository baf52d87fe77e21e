// One running instance as the store sees it: an epoch, a round counter, and the claims and settlements it
// makes. Used by store tests in place of the engine's ledger. An error of the store fails the test by
// exception.
#pragma once

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ports/outbox.h"
#include "ports/outbox_care.h"

namespace eilbote::test {

// The value, or an exception that names the error: for steps of a test that must work.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error("the store answered: " + result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Worker {
 public:
  Worker(Outbox& outbox, OutboxCare& care, const std::string& name,
         Duration lease = std::chrono::seconds{15});

  Epoch epoch() const { return epoch_; }
  LeaseToken next_token() { return make_lease_token(epoch_, ++round_); }

  // Up to n due jobs of each active lane.
  std::vector<ClaimedJob> claim(int n = 100);
  std::vector<ClaimedJob> claim(const std::vector<ClaimLane>& lanes);
  std::optional<ClaimedJob> claim_one(JobId id);
  // What a broker's messages name, if it may be started.
  std::vector<ClaimedJob> offer(std::vector<OfferedJob> offers);
  // The one job that is due; fails the test when it is another number.
  ClaimedJob claim_only();

  SettleOutcome settle(const Settlement& settlement);
  ExchangeResult exchange(std::vector<Settlement> settlements, std::vector<ClaimLane> lanes = {});

 private:
  Outbox& outbox_;
  Epoch epoch_;
  std::atomic<std::uint32_t> round_ = 0;
};

// Ids in their order, for comparisons.
std::vector<JobId> ids_of(const std::vector<ClaimedJob>& claimed);
std::vector<JobId> ids_of(const std::vector<JobRecord>& records);

}  // namespace eilbote::test
