// A publish book in memory, with an outbox that shows its lanes: jobs are added by the test, claimed and marked as the port
// says, by the system's clock, with faults on demand.
#pragma once

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "domain/tsid.h"
#include "ports/publish_book.h"

namespace eilbote::test {

class MemoryPublishBook final : public PublishBook {
 public:
  struct Row {
    PublishClaim claim;
    JobStatus status = JobStatus::queued;
  };

  // ---- what the test says ----

  // Before the start: so long a look around takes, before it says what time it is.
  std::chrono::milliseconds look_takes{0};

  void add_lane(int lane, ChannelKind channel, const std::string& pool, const std::string& client = "shop",
                const std::string& route = "") {
    const std::lock_guard lock(mutex_);
    lanes_[LaneId{lane}] = {LaneId{lane}, channel, ClientName{client}, pool, route, {}};
  }
  void add(std::int64_t id, int lane, Duration due_in = Duration{0}, int retry_count = 0) {
    const std::lock_guard lock(mutex_);
    PublishClaim claim;
    claim.id = JobId{id};
    claim.lane = LaneId{lane};
    claim.channel = lanes_.at(claim.lane).channel;
    claim.key = "key-" + std::to_string(id);
    claim.retry_count = retry_count;
    claim.attempt = retry_count + 1;
    claim.next_attempt_at = clock_.now() + due_in;
    rows_[claim.id] = {claim, JobStatus::queued};
  }
  void set_published_before(std::int64_t id) {
    const std::lock_guard lock(mutex_);
    rows_.at(JobId{id}).claim.published_before = true;
  }
  // A worker was faster than the mark.
  void start(std::int64_t id) {
    const std::lock_guard lock(mutex_);
    rows_.at(JobId{id}).status = JobStatus::dispatching;
  }
  void kill(const DeadLetter& letter) {
    const std::lock_guard lock(mutex_);
    untold_.push_back(letter);
  }
  // While it is set, every operation fails so, and nothing happens.
  void fail_with(std::optional<ErrorKind> kind) {
    const std::lock_guard lock(mutex_);
    error_ = kind;
  }
  // The next rounds happen, and their answers are lost.
  void lose_answers(int rounds) {
    const std::lock_guard lock(mutex_);
    lost_answers_ = rounds;
  }

  // ---- what the test sees ----

  JobStatus status(std::int64_t id) const {
    const std::lock_guard lock(mutex_);
    return rows_.at(JobId{id}).status;
  }
  Row row(std::int64_t id) const {
    const std::lock_guard lock(mutex_);
    return rows_.at(JobId{id});
  }
  std::size_t count(JobStatus status) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count_if(rows_, [&](const auto& entry) { return entry.second.status == status; }));
  }
  int rounds() const {
    const std::lock_guard lock(mutex_);
    return rounds_;
  }
  int released() const {
    const std::lock_guard lock(mutex_);
    return released_;
  }
  std::vector<PublishMark> marks() const {
    const std::lock_guard lock(mutex_);
    return marks_;
  }
  std::size_t untold() const {
    const std::lock_guard lock(mutex_);
    return untold_.size();
  }
  int untold_reads() const {
    const std::lock_guard lock(mutex_);
    return untold_reads_;
  }
  Result<ActiveLanes> active_lanes() const {
    std::promise<void> never;
    never.get_future().wait_for(look_takes);
    const std::lock_guard lock(mutex_);
    ++looks_;
    if (error_) return fail(*error_, "as the test says");
    ActiveLanes active{{}, clock_.now()};
    for (const auto& [id, lane] : lanes_) {
      const auto due = next_due(id);
      if (!due) continue;
      active.lanes.push_back(lane);
      active.lanes.back().next_due = *due;
    }
    return active;
  }
  int looks() const {
    const std::lock_guard lock(mutex_);
    return looks_;
  }

  // ---- the port ----

  Result<PublishResult> publish_round(const PublishRequest& request) override {
    const std::lock_guard lock(mutex_);
    ++rounds_;
    if (error_) return fail(*error_, "as the test says");
    const TimePoint now = clock_.now();
    for (const PublishMark& one : request.marks)
      mark(one, now);
    PublishResult result{{}, now};
    for (const ClaimLane& ask : request.lanes)
      claim(ask, request.token, now, result.claimed);
    if (lost_answers_ > 0) {
      --lost_answers_;
      return fail(ErrorKind::ambiguous, "the answer was lost");
    }
    return result;
  }
  Result<int> release_unheld(Epoch epoch, std::span<const JobId> held) override {
    const std::lock_guard lock(mutex_);
    if (error_) return fail(*error_, "as the test says");
    int freed = 0;
    for (auto& [id, row] : rows_) {
      if (row.status != JobStatus::publishing || epoch_of(row.claim.token) != epoch) continue;
      if (std::ranges::binary_search(held, id)) continue;
      row.status = JobStatus::queued;
      ++freed;
    }
    released_ += freed;
    return freed;
  }
  Result<void> pause_lanes(std::span<const LaneId> lanes, Duration pause) override {
    const std::lock_guard lock(mutex_);
    for (const LaneId lane : lanes)
      paused_[lane] = std::max(paused_[lane], clock_.now() + pause);
    return {};
  }
  Result<std::vector<PausedLane>> paused_lanes() override {
    const std::lock_guard lock(mutex_);
    if (error_) return fail(*error_, "as the test says");
    std::vector<PausedLane> paused;
    for (const auto& [lane, until] : paused_)
      if (until > clock_.now()) paused.push_back({lane, until - clock_.now()});
    return paused;
  }
  Result<std::vector<DeadLetter>> untold_dead(int rows_max) override {
    const std::lock_guard lock(mutex_);
    ++untold_reads_;
    if (error_) return fail(*error_, "as the test says");
    const std::size_t count = std::min(untold_.size(), static_cast<std::size_t>(rows_max));
    return std::vector<DeadLetter>(untold_.begin(), untold_.begin() + static_cast<long>(count));
  }
  Result<void> told_dead(std::span<const DeadLetter> letters) override {
    const std::lock_guard lock(mutex_);
    if (error_) return fail(*error_, "as the test says");
    for (const DeadLetter& told : letters)
      std::erase_if(untold_, [&](const DeadLetter& letter) {
        return letter.id == told.id && letter.failed_at == told.failed_at;
      });
    return {};
  }

 private:
  std::optional<TimePoint> next_due(LaneId lane) const {
    std::optional<TimePoint> earliest;
    for (const auto& [id, row] : rows_)
      if (row.status == JobStatus::queued && row.claim.lane == lane &&
          (!earliest || row.claim.next_attempt_at < *earliest))
        earliest = row.claim.next_attempt_at;
    return earliest;
  }
  void mark(const PublishMark& mark, TimePoint now) {
    marks_.push_back(mark);
    Row& row = rows_.at(mark.id);
    if (row.status != JobStatus::publishing || row.claim.token != mark.token) return;
    row.status = mark.published ? JobStatus::published : JobStatus::queued;
    if (!mark.published && mark.delay > Duration{0}) row.claim.next_attempt_at = now + mark.delay;
  }
  void claim(const ClaimLane& ask, LeaseToken token, TimePoint now, std::vector<PublishClaim>& claimed) {
    std::vector<Row*> due;
    for (auto& [id, row] : rows_)
      if (row.status == JobStatus::queued && row.claim.lane == ask.lane && row.claim.next_attempt_at <= now &&
          (!ask.low_water || row.claim.next_attempt_at >= *ask.low_water))
        due.push_back(&row);
    std::ranges::stable_sort(due, {}, [](const Row* row) { return row->claim.next_attempt_at; });
    due.resize(std::min(due.size(), static_cast<std::size_t>(ask.n)));
    for (Row* row : due) {
      row->status = JobStatus::publishing;
      row->claim.token = token;
      claimed.push_back(row->claim);
    }
  }

  mutable std::mutex mutex_;
  SystemClock clock_;
  std::map<LaneId, ActiveLane> lanes_;
  std::map<JobId, Row> rows_;
  std::map<LaneId, TimePoint> paused_;
  std::vector<DeadLetter> untold_;
  std::vector<PublishMark> marks_;
  std::optional<ErrorKind> error_;
  int lost_answers_ = 0, rounds_ = 0, released_ = 0, untold_reads_ = 0;
  mutable int looks_ = 0;
};

}  // namespace eilbote::test
