// The queues in front of the intake. Owned by it, guarded by its mutex; no I/O.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/intake.h"

namespace eilbote {

// The job lies by itself: it is large, and moves from line to line.
struct WaitingJob {
  std::unique_ptr<NewJob> job;
  ByteReservation reservation;
  Intake::Answer answer;
  Clock::Steady deadline{};
};

// Jobs wait per client and leave round robin: one client's flood does not stand in front of the others.
class IntakeQueue {
 public:
  std::size_t size() const { return size_; }
  void push_back(WaitingJob job);
  // Back where it came from, first in its client's line.
  void push_front(WaitingJob job);
  // Adds to the batch, up to rows_max jobs and bytes_max bytes in all; a larger mail goes alone.
  void take(std::vector<WaitingJob>& batch, std::size_t rows_max, std::size_t bytes_max);

 private:
  std::unordered_map<std::string, std::deque<WaitingJob>> by_client_;
  std::deque<std::string> turn_;  // clients that have jobs, in the order they are served
  std::size_t size_ = 0;
};

// Which of the intake's threads asks.
enum class Hand { first, helper };

// What waits for them: helpers take only jobs that need no order.
class IntakeLines {
 public:
  std::size_t size() const { return ordered_.size() + free_.size(); }
  void push_back(WaitingJob job) { line_of(job).push_back(std::move(job)); }
  void push_front(WaitingJob job) { line_of(job).push_front(std::move(job)); }
  // The first commits whatever waits, a helper only what is worth a commit of its own; and so does the first while somebody
  // commits, for a commit of five costs the database nearly as much as one of thirty.
  bool has_batch_for(Hand hand, std::size_t help_from, bool somebody_commits) const {
    if (hand == Hand::helper) return free_.size() >= help_from;
    return size() >= (somebody_commits ? help_from : 1);
  }
  std::vector<WaitingJob> take(Hand hand, std::size_t rows_max, std::size_t bytes_max);
  std::vector<WaitingJob> take_all();

 private:
  IntakeQueue& line_of(const WaitingJob& job) { return job.job->group.empty() ? free_ : ordered_; }

  IntakeQueue ordered_;
  IntakeQueue free_;
};

}  // namespace eilbote
