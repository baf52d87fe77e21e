// Claimed jobs on their way to the channels: their content is loaded in small steps, and no further while much is in
// memory, so that big ones cannot fill it. Each channel and each endpoint host has its own share: what is slow and big
// waits, the others pass it. Used by the ledger's thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "engine/courier.h"
#include "ports/outbox.h"

namespace eilbote {

class Departures {
 public:
  Departures(Outbox& outbox, Courier& courier) : outbox_(outbox), courier_(courier) {}

  void add(ClaimedJob job, bool probe);
  std::size_t waiting() const { return waiting_.size(); }
  // Loads and starts as many as there is memory for. After an error the rest waits for the next call.
  Result<void> go();
  // Whether one more for this route would have to wait.
  bool is_full(ChannelKind channel, const std::string& route) const;
  // Its content is out of memory.
  void finished(const Lease& lease);
  // Takes back those of these that have not begun.
  std::vector<Finished> hand_back(const std::function<bool(const Job&)>& which);

 private:
  struct Waiting {
    ClaimedJob job;
    bool probe = false;
  };
  struct Held {
    std::string route;  // of a mail: ""
    std::size_t bytes = 0;
  };
  std::vector<Waiting> take_step();
  void start(Waiting one, MailContent* mail, WebhookContent* webhook);
  void hold(const Job& job, LeaseToken token, std::size_t bytes);

  Outbox& outbox_;
  Courier& courier_;
  std::deque<Waiting> waiting_;
  std::map<Lease, Held> held_;                // contents in memory
  std::map<std::string, std::size_t> bytes_;  // of them, by route
  std::size_t webhook_bytes_ = 0;
};

}  // namespace eilbote
