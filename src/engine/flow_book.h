// The book of what flows through: what this instance counted (its metrics), what it has added to the totals of all instances in
// the database, and how much others add. Upkeep writes it at every heartbeat; the overview's thread takes a sample a second, which
// are the seconds people see.
//
// A second is this instance's own count, exactly, plus what others do per second: they write every few seconds, so that is an
// average over their last few writes, and comes some seconds late. A crash loses what was not written: a few seconds' counts, and
// never a job.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "domain/flow.h"
#include "ports/overview_book.h"

namespace eilbote {

struct Metrics;

class FlowBook {
 public:
  FlowBook(OverviewBook& book, const Metrics& metrics, const Clock& clock);

  // Adds what was counted since the last time, if anything; then, unless this instance is alone, reads what others added. By
  // one thread at a time; may block.
  Result<void> write(bool is_alone);

  // Once a second.
  void sample();

  // The last few seconds.
  FlowRates rates() const;
  // Of the last five minutes, the oldest first.
  std::vector<FlowSecond> seconds() const;
  // What is not in the database's totals yet.
  FlowCounts unwritten() const;

 private:
  using Steady = Clock::Steady;
  struct Reading {
    Steady at{};
    FlowCounts others;  // what they added since the reading before
  };

  FlowCounts counted() const;
  Result<void> read_others();
  FlowRates others_rates(Steady now) const EILBOTE_REQUIRES(mutex_);

  OverviewBook& book_;
  const Metrics& metrics_;
  const Clock& clock_;

  // Of the thread that writes.
  std::map<TimePoint, FlowCounts> read_minutes_;  // as they were at the last reading
  FlowCounts added_since_reading_;                // by this instance
  bool has_read_ = false;

  mutable Mutex mutex_;
  FlowCounts written_ EILBOTE_GUARDED_BY(mutex_);
  std::deque<Reading> readings_ EILBOTE_GUARDED_BY(mutex_);
  FlowCounts sampled_ EILBOTE_GUARDED_BY(mutex_);
  Steady sampled_at_ EILBOTE_GUARDED_BY(mutex_);
  std::deque<FlowSecond> seconds_ EILBOTE_GUARDED_BY(mutex_);
};

}  // namespace eilbote
