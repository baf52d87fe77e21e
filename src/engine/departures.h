// Claimed jobs on their way to the channels: their content is loaded in small steps, and no further while much is in
// memory, so that big ones cannot fill it. Used by the ledger's thread only.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "engine/courier.h"
#include "ports/outbox.h"

namespace eilbote {

class Departures {
 public:
  Departures(Outbox& outbox, Courier& courier) : outbox_(outbox), courier_(courier) {}

  void add(ClaimedJob job, bool probe);
  bool empty() const { return waiting_.empty(); }
  // Loads and starts as many as there is memory for. After an error the rest waits for the next call.
  Result<void> go();
  // Its content is out of memory.
  void finished(const Lease& lease);
  // Takes back those that have not begun: all of them, or the mails only.
  enum class Which { all, mails };
  std::vector<Finished> hand_back(Which which);

 private:
  struct Waiting {
    ClaimedJob job;
    bool probe = false;
  };
  bool has_memory() const;
  Result<void> start_some();
  void hold(const Lease& lease, std::size_t bytes);

  Outbox& outbox_;
  Courier& courier_;
  std::deque<Waiting> waiting_;
  std::map<Lease, std::size_t> bytes_;  // of contents in memory
  std::size_t bytes_sum_ = 0;
};

}  // namespace eilbote
