// The queue in front of the intake: jobs wait per client and leave round robin, so that one client's flood
// does not stand in front of the others. Owned by the intake, guarded by its mutex; no I/O.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/intake.h"

namespace eilbote {

struct WaitingJob {
  NewJob job;
  ByteReservation reservation;
  Intake::Answer answer;
  Clock::Steady deadline{};
};

class IntakeQueue {
 public:
  std::size_t size() const { return size_; }
  void push_back(WaitingJob job);
  // Back where it came from, first in its client's line.
  void push_front(WaitingJob job);
  // The next batch: at most rows_max jobs and bytes_max bytes; a larger mail goes alone.
  std::vector<WaitingJob> take(std::size_t rows_max, std::size_t bytes_max);

 private:
  std::unordered_map<std::string, std::deque<WaitingJob>> by_client_;
  std::deque<std::string> turn_;  // clients that have jobs, in the order they are served
  std::size_t size_ = 0;
};

}  // namespace eilbote
