#include "simulation/model_store.h"

#include <algorithm>
#include <tuple>

namespace eilbote::sim {
namespace {

constexpr std::size_t kRowsAtFirst = 32;

std::optional<int> group_of(const NewJob& job) {
  if (job.group.empty() || job.group_mode == GroupMode::IMMEDIATE) return std::nullopt;
  return 10 * static_cast<int>(job.channel) + (job.group.back() - '0');
}

Row row_of(const NewJob& job, TimePoint now) {
  Row row;
  row.job.id = job.id;
  row.job.channel = job.channel;
  row.job.client = job.client;
  row.job.pool = job.pool;
  row.job.route = job.route;
  row.job.attempts_max = job.attempts_max;
  row.job.group_mode = job.group_mode;
  row.job.created_at = row.job.updated_at = now;
  row.job.next_attempt_at = std::max(now, job.scheduled_for.value_or(now));
  row.job.expires_at = job.expires_at;
  row.group = group_of(job);
  row.job.status = row.group ? JobStatus::blocked : JobStatus::queued;
  row.sequence = job.sequence;
  row.recipients = job.mail.recipients;
  row.on_uncertain = job.mail.on_uncertain;
  return row;
}

}  // namespace

ModelStore::ModelStore(const SimTime& time, std::vector<Pool> pools)
    : time_(time), pools_(std::move(pools)), rules_(*this) {
  rows_.reserve(kRowsAtFirst);
}

const Row* ModelStore::find(JobId id) const {
  for (const Row& row : rows_)
    if (row.job.id == id) return &row;
  return nullptr;
}

Row* ModelStore::at(JobId id) {
  for (Row& row : rows_)
    if (row.job.id == id) return &row;
  return nullptr;
}

const Pool& ModelStore::pool(const std::string& code) const {
  return *std::ranges::find(pools_, code, &Pool::code);
}

void ModelStore::expect(JobId id, const RetryPolicy& policy) {
  expected_[id] = policy;
}

LaneId ModelStore::lane_of(const NewJob& job) {
  for (const ActiveLane& lane : lanes_)
    if (lane.channel == job.channel && lane.client == job.client && lane.pool == job.pool &&
        lane.route == job.route)
      return lane.lane;
  const LaneId id{static_cast<std::int32_t>(lanes_.size()) + 1};
  lanes_.push_back({id, job.channel, job.client, job.pool, job.route, {}});
  return id;
}

// ---- accept ----

void ModelStore::insert(const NewJob& job) {
  Row row = row_of(job, now());
  row.lane = lane_of(job);
  row.place = ++last_place_;
  row.policy = expected_[job.id];
  rows_.push_back(std::move(row));
}

Result<std::vector<AcceptOutcome>> ModelStore::accept(std::span<const NewJob> jobs, AcceptRun run) {
  for (const NewJob& job : jobs)
    if (run == AcceptRun::first && find(job.id) != nullptr) return fail(ErrorKind::rejected_data, "id twice");
  std::vector<AcceptOutcome> outcomes;
  std::vector<int> groups;
  for (const NewJob& job : jobs) {
    AcceptOutcome outcome{AcceptKind::accepted, job.id, {}};
    if (!job.idempotency_key.empty()) {
      const auto [key, is_new] =
          keys_.try_emplace({job.client.value(), job.idempotency_key}, std::pair{job.id, job.fingerprint});
      const bool mine = run == AcceptRun::again && key->second.first == job.id;
      if (!is_new && !mine) {
        const bool same = key->second.second == job.fingerprint;
        outcomes.push_back({same ? AcceptKind::replayed : AcceptKind::conflict, key->second.first, {}});
        continue;
      }
    }
    if (find(job.id) == nullptr) insert(job);
    outcome.lane = find(job.id)->lane;
    if (const auto group = find(job.id)->group) groups.push_back(*group);
    outcomes.push_back(outcome);
  }
  std::vector<LaneId> woken;
  promote(groups, woken);
  return outcomes;
}

// ---- exchange ----

// As settle.sql says it.
void ModelStore::apply(Row& row, const Settlement& settlement) const {
  const Decision& decision = settlement.decision;
  const bool waits = decision.status == JobStatus::queued || decision.status == JobStatus::blocked;
  const bool stops = row.job.cancelling && waits;
  row.job.status = stops ? JobStatus::cancelled : decision.status;
  row.job.retry_count = decision.retry_count;
  row.job.attempts = decision.attempts;
  row.job.deferrals = decision.deferrals;
  row.job.partial = decision.partial;
  if (decision.delay) row.job.next_attempt_at = now() + *decision.delay;
  row.job.dead_reason = decision.dead_reason;
  row.job.last_error = decision.last_error;
  row.job.updated_at = now();
  row.job.finished_at.reset();
  if (is_final(row.job.status)) row.job.finished_at = now();
  const bool ends_turn =
      row.job.cancelling || decision.status == JobStatus::blocked || decision.status == JobStatus::sent ||
      (decision.status == JobStatus::failed && row.job.group_mode != GroupMode::BLOCK_ON_ERROR);
  if (ends_turn) row.job.holds_turn = false;
  row.job.cancelling = false;
  if (settlement.attempt) row.job.losses = 0;
  row.token = {};
  for (const RecipientResult& result : decision.recipients)
    row.recipients[static_cast<std::size_t>(result.index)].status = result.status;
}

SettleOutcome ModelStore::settle_one(const Settlement& settlement, std::vector<int>& groups) {
  Row* row = at(settlement.id);
  if (row == nullptr || row->token != settlement.token) {
    const bool mine = row != nullptr && std::ranges::count(row->recorded, settlement.token) > 0;
    return mine ? SettleOutcome::settled_before : SettleOutcome::stale;
  }
  const Row before = *row;
  apply(*row, settlement);
  if (settlement.attempt) row->recorded.push_back(settlement.token);
  if (row->group) groups.push_back(*row->group);
  rules_.settled(before, settlement, *row);
  return SettleOutcome::settled;
}

std::vector<SettleOutcome> ModelStore::settle(const std::vector<Settlement>& settlements, bool grouped_only,
                                              std::vector<LaneId>& woken) {
  std::vector<SettleOutcome> outcomes;
  std::vector<int> groups;
  for (const Settlement& settlement : settlements)
    if (!grouped_only || settlement.grouped) outcomes.push_back(settle_one(settlement, groups));
  promote(groups, woken);
  return outcomes;
}

ClaimedJob ModelStore::as_claimed(const Row& row) const {
  ClaimedJob claimed{row.job, row.lane, row.token, row.group.has_value()};
  claimed.job.holds_turn = claimed.job.cancelling = false;  // known where an act decides, as the port says
  return claimed;
}

void ModelStore::claim(Row& row, LeaseToken token, std::vector<ClaimedJob>& claimed) {
  row.job.status = JobStatus::dispatching;
  row.token = token;
  row.job.last_attempt_at = now();
  claims_.push_back({row.job.id, token, now()});
  claimed.push_back(as_claimed(row));
}

void ModelStore::claim_lane(const ClaimLane& lane, LeaseToken token, std::vector<ClaimedJob>& claimed) {
  std::vector<Row*> due;
  for (Row& row : rows_) {
    const Job& job = row.job;
    if (job.status == JobStatus::queued && row.lane == lane.lane && job.next_attempt_at <= now() &&
        job.retry_count < job.attempts_max && (!lane.low_water || job.next_attempt_at >= *lane.low_water))
      due.push_back(&row);
  }
  std::ranges::sort(due, {}, [](const Row* row) { return std::pair{row->job.next_attempt_at, row->job.id}; });
  if (due.size() > static_cast<std::size_t>(std::max(lane.n, 0)))
    due.resize(static_cast<std::size_t>(lane.n));
  for (Row* row : due)
    claim(*row, token, claimed);
}

ExchangeResult ModelStore::exchange(const ExchangeRequest& request) {
  ExchangeResult result;
  result.now = now();
  result.settled = settle(request.settlements, false, result.woken);
  for (const ClaimLane& lane : request.lanes)
    claim_lane(lane, request.token, result.claimed);
  if (request.claim_one)
    if (Row* row = at(*request.claim_one); row != nullptr && row->job.status == JobStatus::queued)
      claim(*row, request.token, result.claimed);
  return result;
}

// ---- reading ----

JobContents ModelStore::load(std::span<const JobId> mails, std::span<const JobId> webhooks) const {
  JobContents contents;
  for (const JobId id : mails) {
    const Row& row = *find(id);
    MailContent content;
    content.id = id;
    content.sender = "s";
    content.recipients = row.recipients;
    content.retry = row.policy;
    content.on_uncertain = row.on_uncertain;
    contents.mails.push_back(std::move(content));
  }
  for (const JobId id : webhooks) {
    WebhookContent content;
    content.id = id;
    content.webhook.retry_strategy = find(id)->policy.strategy;
    contents.webhooks.push_back(std::move(content));
  }
  return contents;
}

ActiveLanes ModelStore::active_lanes() const {
  ActiveLanes active;
  active.now = now();
  for (const ActiveLane& known : lanes_) {
    std::optional<TimePoint> first;
    for (const Row& row : rows_)
      if (row.job.status == JobStatus::queued && row.lane == known.lane &&
          (!first || row.job.next_attempt_at < *first))
        first = row.job.next_attempt_at;
    if (!first) continue;
    active.lanes.push_back(known);
    active.lanes.back().next_due = *first;
  }
  return active;
}

std::optional<JobRecord> ModelStore::record(JobId id) const {
  const Row* row = find(id);
  if (row == nullptr) return std::nullopt;
  JobRecord record;
  record.job = row->job;
  record.recipients = row->recipients;
  return record;
}

// ---- turns ----

void ModelStore::promote(int group, std::vector<LaneId>& woken) {
  Row* first = nullptr;
  for (Row& row : rows_) {
    if (row.group != group) continue;
    if (row.job.holds_turn) return;
    const bool waits = row.job.status == JobStatus::blocked && row.job.next_attempt_at <= now();
    if (waits && (first == nullptr || row.rank() < first->rank())) first = &row;
  }
  if (first == nullptr) return;
  first->job.status = JobStatus::queued;
  first->job.holds_turn = true;
  woken.push_back(first->lane);
}

void ModelStore::promote(const std::vector<int>& groups, std::vector<LaneId>& woken) {
  for (const int group : groups)
    promote(group, woken);
}

}  // namespace eilbote::sim
