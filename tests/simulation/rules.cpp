#include "simulation/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "domain/states.h"
#include "simulation/expected_decision.h"
#include "simulation/model_store.h"

namespace eilbote::sim {
namespace {

std::string name_of(JobId id) {
  return fmt::format("job {}", id.value());
}

// The moves a database row makes without an event of the engine's: what the model did to it by itself.
bool is_legal(const Row& before, const Row& after) {
  const JobStatus from = before.job.status, to = after.job.status;
  if (from == to) return true;
  if (is_final(from) && to == JobStatus::blocked)
    return true;  // a person's "again": it joins its group's line
  if (before.job.partial && to == JobStatus::sent && !before.is_leased())
    return true;  // it expired; some have it
  for (const JobTransition& move : job_transitions())
    if (move.from == from && move.to == to) return true;
  return from == JobStatus::dispatching && to == JobStatus::cancelled;
}

}  // namespace

// ---- clients ----

void Rules::accepted(JobId id, const std::string& key) {
  acknowledged_.push_back(id);
  if (store_.find(id) == nullptr)
    broken(rule::stored, name_of(id) + " was acknowledged before it was stored");
  if (!key.empty() && by_key_.try_emplace(key, id).first->second != id)
    broken(rule::once_accepted, name_of(id) + " was accepted under a key that made another job");
}

void Rules::replayed(JobId id, const std::string& key) {
  if (store_.find(id) == nullptr)
    return broken(rule::stored, name_of(id) + " was named as the first, and is not stored");
  const auto first = by_key_.try_emplace(key, id).first;
  if (first->second != id) broken(rule::once_accepted, name_of(id) + " is not the job its key made");
  acknowledged_.push_back(id);
}

void Rules::check_acknowledged() {
  for (const JobId id : acknowledged_)
    if (store_.find(id) == nullptr) broken(rule::stored, name_of(id) + " is gone");
}

// ---- deliveries ----

const Claim* Rules::claim_of(JobId id, LeaseToken token) const {
  const auto& claims = store_.claims();
  const auto found = std::find_if(claims.rbegin(), claims.rend(),
                                  [&](const Claim& claim) { return claim.id == id && claim.token == token; });
  return found == claims.rend() ? nullptr : &*found;
}

Rules::HandOver* Rules::find(JobId id, LeaseToken token) {
  for (HandOver& one : hand_overs_)
    if (one.id == id && one.token == token) return &one;
  return nullptr;
}

void Rules::begun(const Begin& begin) {
  const std::pair lease{begin.id, begin.token};
  if (std::ranges::count(begun_, lease) > 0)
    broken(rule::begun_once, name_of(begin.id) + " was begun twice under one lease");
  begun_.push_back(lease);
  started_.insert(begin.id);
  const Row& row = *store_.find(begin.id);
  const Pool& pool = store_.pool(row.job.pool);
  const int open = pool.limited ? begin.open_everywhere : begin.open_here;
  if (open > pool.concurrency)
    broken(rule::pool_room, fmt::format("{} is the {}th under way in the pool {}, which has room for {}",
                                        name_of(begin.id), open, pool.code, pool.concurrency));
  check_rate(row, begin.token);
}

void Rules::check_rate(const Row& row, LeaseToken token) {
  const Pool& pool = store_.pool(row.job.pool);
  const Claim* claim = claim_of(row.job.id, token);
  // A database whose clock jumps says nothing about how fast somebody is.
  if (!pool.rate_limit_per_minute || claim == nullptr || store_.jumps() > 0) return;
  auto& starts = starts_[pool.code];
  starts.push_back(claim->at);
  const int most = *pool.rate_limit_per_minute + pool.burst;
  const auto within = std::ranges::count_if(
      starts, [&](TimePoint at) { return at <= claim->at && claim->at - at < std::chrono::minutes{1}; });
  if (within > most)
    broken(rule::pool_rate, fmt::format("{} starts within a minute in the pool {}", within, pool.code));
}

void Rules::handed_over(int instance, JobId id, LeaseToken token) {
  const Row& row = *store_.find(id);
  const bool jumped = store_.jumped_since_beat(epoch_of(token));
  if (row.token != token && !jumped)
    broken(rule::lease, fmt::format("{} was handed over under a lease it no longer had; it is {}",
                                    name_of(id), kJobStatusNames.text(row.job.status)));
  for (const HandOver& one : hand_overs_)
    if (one.id == id && row.token == token && one.received && !one.excused)
      broken(rule::duplicate, name_of(id) + " was received before, and nothing had gone wrong");
  if (cancelled_.contains(id) && !jumped) broken(rule::cancelled, name_of(id));
  check_group(row);
  HandOver one{id, token, instance};
  one.excused = jumped || !store_.is_alive(epoch_of(token));
  hand_overs_.push_back(one);
}

void Rules::check_group(const Row& row) {
  if (!row.group) return;
  for (const Row& other : store_.rows()) {
    if (other.group != row.group || other.job.id == row.job.id) continue;
    if (other.is_leased() && row.is_leased())
      broken(rule::group_alone, name_of(row.job.id) + " and " + name_of(other.job.id));
    const bool waits = other.job.status == JobStatus::queued || other.job.status == JobStatus::blocked;
    const bool is_before = started_.contains(other.job.id) && (waits || other.blocks_group());
    if (row.job.group_mode == GroupMode::BLOCK_ON_ERROR && is_before)
      broken(rule::group_order,
             fmt::format("{} went before {} was done with", name_of(row.job.id), name_of(other.job.id)));
  }
}

void Rules::answered(JobId id, LeaseToken token, Answer answer) {
  const Verdict verdict = answer.result.verdict;
  if (HandOver* one = find(id, token)) {
    const bool some_wait = std::ranges::any_of(
        answer.result.recipients,
        [](const RecipientResult& recipient) { return recipient.status == RecipientStatus::waiting; });
    one->received = (verdict == Verdict::delivered && !some_wait) || verdict == Verdict::uncertain;
    if (verdict == Verdict::uncertain) one->excused = true;
  }
  answers_.push_back({{id, token}, std::move(answer)});
}

void Rules::lost(int instance) {
  for (HandOver& one : hand_overs_)
    if (one.instance == instance && !one.over) one.excused = true;
}

void Rules::check_leases() {
  for (HandOver& one : hand_overs_)
    if (!one.over && !store_.is_alive(epoch_of(one.token))) one.excused = true;
}

void Rules::clock_jumped() {
  for (HandOver& one : hand_overs_)
    if (!one.over) one.excused = true;
}

// ---- the database ----

void Rules::settled(const Row& before, const Settlement& settlement, const Row& after) {
  if (HandOver* one = find(settlement.id, settlement.token)) one->over = true;
  if (!is_legal(before, after) ||
      next_status(before.job.status, settlement.decision.event) != settlement.decision.status)
    broken(rule::legal,
           fmt::format("{} went from {} to {}", name_of(settlement.id),
                       kJobStatusNames.text(before.job.status), kJobStatusNames.text(after.job.status)));
  // Two may have said something about it: the instance that had it, and the one that took it for dead.
  std::optional<std::string> wrong;
  bool fits = false, any = false;
  for (const auto& [lease, answer] : answers_) {
    if (lease != std::pair{settlement.id, settlement.token}) continue;
    any = true;
    wrong = wrong_decision(before, settlement, &answer);
    if (!wrong) fits = true;
  }
  const bool was_begun = std::ranges::count(begun_, std::pair{settlement.id, settlement.token}) > 0;
  if (!fits && (!any || !was_begun)) {
    const auto as_untouched = wrong_decision(before, settlement, nullptr);
    fits = !as_untouched;
    if (!any) wrong = as_untouched;
  }
  if (!fits && wrong) broken(rule::decision, name_of(settlement.id) + ": " + *wrong);
}

void Rules::moved(const Row& before, const Row& after) {
  if (!is_legal(before, after))
    broken(rule::legal,
           fmt::format("{} went from {} to {}", name_of(before.job.id),
                       kJobStatusNames.text(before.job.status), kJobStatusNames.text(after.job.status)));
  if (is_final(before.job.status) && !is_final(after.job.status)) started_.erase(before.job.id);
  const bool is_again = before.job.status != JobStatus::dispatching && !is_final(after.job.status);
  for (HandOver& one : hand_overs_)
    if (one.id == before.job.id && is_again) one.excused = true;  // a person wants it sent again
}

void Rules::check_rows() {
  for (const Row& row : store_.rows()) {
    const Job& job = row.job;
    if (row.is_leased() != (job.status == JobStatus::dispatching))
      broken(rule::lease, fmt::format("{} is {} and {}", name_of(job.id), kJobStatusNames.text(job.status),
                                      row.is_leased() ? "leased" : "not leased"));
    if (job.retry_count > job.attempts_max)
      broken(rule::budget,
             fmt::format("{} had {} attempts of {}", name_of(job.id), job.retry_count, job.attempts_max));
  }
}

}  // namespace eilbote::sim
