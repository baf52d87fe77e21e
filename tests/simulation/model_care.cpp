// The model's other half: instances and their leases, upkeep, and the acts of people.
#include <algorithm>

#include "domain/acts.h"
#include "simulation/model_store.h"

namespace eilbote::sim {
namespace {

// A lease that ends now is set to have ended a little earlier, so that "over" needs no care about equality.
constexpr Duration kOverBy = std::chrono::seconds{1};

}  // namespace

// ---- acts ----

// As apply_act.sql and mark_cancelling.sql say it.
ActOutcome ModelStore::act(JobId id, const ActRequest& request) {
  ActOutcome outcome;
  outcome.id = id;
  Row* row = at(id);
  if (row == nullptr || row->job.channel != request.channel) {
    outcome.kind = ActKind::not_found;
    return outcome;
  }
  outcome.lane = row->lane;
  const auto decision = decide_act(row->job, request.act);
  outcome.job = row->job;
  if (!decision) {
    outcome.kind = ActKind::refused;
    return outcome;
  }
  const Row before = *row;
  Job& job = row->job;
  job.updated_at = now();
  if (decision->only_marks) {
    job.cancelling = true;
  } else {
    job.status = decision->status;
    job.dead_reason = decision->dead_reason;
    job.finished_at.reset();
    if (is_final(job.status)) job.finished_at = now();
    if (!decision->keeps_turn) job.holds_turn = false;
    job.cancelling = false;
    row->token = {};
    if (decision->resets_budget) {
      job.retry_count = job.deferrals = job.losses = 0;
      job.partial = false;
      job.last_error.clear();
      job.next_attempt_at = now();
      if (job.expires_at && *job.expires_at <= now()) job.expires_at = now() + kLifeAfterRetry;
      for (Recipient& recipient : row->recipients)
        recipient.status = RecipientStatus::waiting;
    }
    std::vector<LaneId> woken;
    if (row->group) promote(*row->group, woken);
  }
  rules_.moved(before, *row);
  outcome.job = row->job;
  return outcome;
}

// ---- instances ----

bool ModelStore::is_alive(Epoch epoch) const {
  return std::ranges::any_of(
      instances_, [&](const InstanceRow& one) { return one.epoch == epoch && one.lease_until >= now(); });
}

bool ModelStore::jumped_since_beat(Epoch epoch) const {
  return std::ranges::none_of(instances_, [&](const InstanceRow& one) {
    return one.epoch == epoch && one.jumps == jumps_ && one.jumps_back == jumps_back_;
  });
}

void ModelStore::stretch(Epoch epoch, TimePoint until) {
  for (InstanceRow& one : instances_)
    if (one.epoch == epoch && one.lease_until >= now()) one.lease_until = std::max(one.lease_until, until);
}

Epoch ModelStore::start_instance(const std::string& name, Duration lease) {
  for (InstanceRow& one : instances_)
    if (one.name == name) one.lease_until = std::min(one.lease_until, now() - kOverBy);
  instances_.push_back({Epoch{++last_epoch_}, name, now() + lease, jumps_, jumps_back_});
  return instances_.back().epoch;
}

Heartbeat ModelStore::heartbeat(Epoch epoch, Duration lease, bool takes_homes) {
  Heartbeat beat;
  for (InstanceRow& one : instances_) {
    if (one.lease_until < now()) continue;
    if (one.epoch != epoch) {
      ++beat.peers;
      continue;
    }
    beat.alive = true;
    one.jumps = jumps_;
    one.lease_until = now() + lease;
  }
  if (!beat.alive || !takes_homes) return beat;
  for (const Pool& pool : pools_) {
    if (!pool.limited) continue;
    const auto home = homes_.find(pool.code);
    if (home != homes_.end() && home->second != epoch && is_alive(home->second)) continue;
    homes_[pool.code] = epoch;
    beat.home_pools.push_back(pool.code);
  }
  return beat;
}

bool ModelStore::take_turn(const std::string& chore, Epoch epoch, Duration turn) {
  const auto [it, is_new] = turns_.try_emplace(chore, Turn{epoch, now() + turn});
  const bool free =
      is_new || it->second.epoch == epoch || it->second.until < now() || !is_alive(it->second.epoch);
  if (free) it->second = {epoch, now() + turn};
  return free;
}

void ModelStore::end_instance(Epoch epoch) {
  std::erase_if(homes_, [&](const auto& home) { return home.second == epoch; });
  for (InstanceRow& one : instances_)
    if (one.epoch == epoch) one.lease_until = std::min(one.lease_until, now() - kOverBy);
}

// ---- what is put right ----

int ModelStore::reconcile(Epoch epoch, std::span<const JobId> held) {
  int freed = 0;
  std::vector<LaneId> woken;
  for (Row& row : rows_) {
    if (!row.is_leased() || epoch_of(row.token) != epoch || std::ranges::binary_search(held, row.job.id))
      continue;
    const Row before = row;
    const bool stops = row.job.cancelling;
    row.job.status = stops ? JobStatus::cancelled : JobStatus::queued;
    row.token = {};
    row.job.cancelling = false;
    if (stops) row.job.finished_at = now();
    if (stops) row.job.holds_turn = false;
    ++freed;
    if (stops && row.group) promote(*row.group, woken);
    rules_.moved(before, row);
  }
  return freed;
}

// Those whose lease is over, and holders of leases that are no instance any more.
std::vector<Epoch> ModelStore::dead_epochs(const std::string& of_instance) const {
  std::vector<Epoch> dead;
  for (const Row& row : rows_) {
    if (!row.is_leased() || !of_instance.empty()) continue;
    const Epoch holder = epoch_of(row.token);
    if (std::ranges::count(instances_, holder, &InstanceRow::epoch) == 0) dead.push_back(holder);
  }
  for (const InstanceRow& one : instances_)
    if (of_instance.empty() ? one.lease_until < now() : one.name == of_instance) dead.push_back(one.epoch);
  return dead;
}

std::vector<ClaimedJob> ModelStore::orphans(const std::string& of_instance) const {
  const std::vector<Epoch> dead = dead_epochs(of_instance);
  std::vector<ClaimedJob> found;
  for (const Row& row : rows_)
    if (row.is_leased() && row.job.channel == ChannelKind::mail &&
        std::ranges::count(dead, epoch_of(row.token)) > 0)
      found.push_back(as_claimed(row));
  return found;
}

// As rescue_dead.sql says it.
void ModelStore::lose(Row& row) {
  const Row before = row;
  Job& job = row.job;
  ++job.losses;
  const bool stops = job.cancelling, dies = !stops && job.losses >= kLeaseLossesMax;
  job.status = stops ? JobStatus::cancelled : dies ? JobStatus::failed : JobStatus::queued;
  job.cancelling = false;
  job.dead_reason.reset();
  if (dies) job.dead_reason = DeadReason::Abandoned;
  if (stops || dies) job.finished_at = now();
  if (stops || (dies && job.group_mode != GroupMode::BLOCK_ON_ERROR)) job.holds_turn = false;
  row.token = {};
  rules_.moved(before, row);
}

void ModelStore::count(const Row& row, SweepResult& result) const {
  ++result.changed;
  if (row.job.status == JobStatus::queued) result.lanes.push_back(row.lane);
  if (row.job.status != JobStatus::failed) return;
  ++result.failed;
  if (row.job.channel == ChannelKind::mail) ++result.failed_mails;
  result.dead.push_back({row.job.id, row.job.channel, row.job.retry_count});
}

SweepResult ModelStore::rescue(const RescueParams& params) {
  SweepResult result;
  const std::vector<Epoch> dead = dead_epochs(params.of_instance);
  for (Row& row : rows_) {
    if (!row.is_leased() || std::ranges::count(dead, epoch_of(row.token)) == 0) continue;
    if (params.spare_mails && row.job.channel == ChannelKind::mail) continue;
    if (std::ranges::count(params.spare, row.job.id) > 0) continue;
    lose(row);
    count(row, result);
    if (row.group) promote(*row.group, result.lanes);
  }
  // One that holds nothing more is forgotten: it cannot come to life again.
  std::erase_if(instances_, [&](const InstanceRow& one) {
    const auto is_held = [&](const Row& row) { return row.is_leased() && epoch_of(row.token) == one.epoch; };
    return one.lease_until < now() && std::ranges::none_of(rows_, is_held);
  });
  return result;
}

SweepResult ModelStore::sweep(Sweep sweep) {
  SweepResult result;
  for (Row& row : rows_) {
    Job& job = row.job;
    const bool waits = job.status == JobStatus::queued || job.status == JobStatus::blocked;
    const bool expires = sweep == Sweep::expire && waits && job.expires_at && *job.expires_at <= now();
    const bool is_used_up =
        sweep == Sweep::exhaust && job.status == JobStatus::queued && job.retry_count >= job.attempts_max;
    if (expires || is_used_up) {
      const Row before = row;
      job.status = job.partial ? JobStatus::sent : JobStatus::failed;
      if (!job.partial) job.dead_reason = expires ? DeadReason::Expired : DeadReason::MaxAttemptsExceeded;
      job.partial = false;
      job.finished_at = now();
      if (expires || job.group_mode != GroupMode::BLOCK_ON_ERROR) job.holds_turn = false;
      rules_.moved(before, row);
      count(row, result);
    }
    const bool is_in_line = sweep == Sweep::promote && job.status == JobStatus::blocked;
    if (row.group && (expires || is_used_up || is_in_line)) promote(*row.group, result.lanes);
  }
  return result;
}

}  // namespace eilbote::sim
