#include "support/worker.h"

namespace eilbote::test {

Worker::Worker(Outbox& outbox, OutboxCare& care, const std::string& name, Duration lease)
    : outbox_(outbox), epoch_(must(care.start_instance(name, lease))) {}

std::vector<ClaimedJob> Worker::claim(int n) {
  std::vector<ClaimLane> lanes;
  for (const ActiveLane& lane : must(outbox_.active_lanes()).lanes)
    lanes.push_back(ClaimLane{lane.lane, n, {}});
  return claim(lanes);
}

std::vector<ClaimedJob> Worker::claim(const std::vector<ClaimLane>& lanes) {
  return exchange({}, lanes).claimed;
}

std::optional<ClaimedJob> Worker::claim_one(JobId id) {
  ExchangeRequest request;
  request.claim_one = id;
  request.token = next_token();
  const ExchangeResult result = must(outbox_.exchange(request));
  if (result.claimed.empty()) return std::nullopt;
  return result.claimed.front();
}

std::vector<ClaimedJob> Worker::offer(std::vector<OfferedJob> offers) {
  ExchangeRequest request;
  request.offers = std::move(offers);
  request.token = next_token();
  return must(outbox_.exchange(request)).claimed;
}

ClaimedJob Worker::claim_only() {
  const std::vector<ClaimedJob> claimed = claim();
  if (claimed.size() != 1)
    throw std::runtime_error("claimed " + std::to_string(claimed.size()) + " jobs instead of 1");
  return claimed.front();
}

SettleOutcome Worker::settle(const Settlement& settlement) {
  return exchange({settlement}).settled.at(0);
}

ExchangeResult Worker::exchange(std::vector<Settlement> settlements, std::vector<ClaimLane> lanes) {
  ExchangeRequest request;
  request.settlements = std::move(settlements);
  request.lanes = std::move(lanes);
  request.token = next_token();
  return must(outbox_.exchange(request));
}

std::vector<JobId> ids_of(const std::vector<ClaimedJob>& claimed) {
  std::vector<JobId> ids;
  for (const ClaimedJob& c : claimed)
    ids.push_back(c.job.id);
  return ids;
}

std::vector<JobId> ids_of(const std::vector<JobRecord>& records) {
  std::vector<JobId> ids;
  for (const JobRecord& r : records)
    ids.push_back(r.job.id);
  return ids;
}

}  // namespace eilbote::test
