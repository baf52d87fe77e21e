// The orders of POST /internal/dispatch*: which jobs were claimed for which order, and when an order is done.
// Used by the ledger's thread only; no I/O.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "engine/ledger.h"

namespace eilbote {

class DispatchOrders {
 public:
  using Steady = Clock::Steady;
  using Done = std::function<void(Result<DispatchReport>)>;

  void add(DispatchOrder order, Done done, Steady now);

  // The order that wants to claim next; null when none does.
  struct Open {
    DispatchOrder order;
    Done done;
    Steady deadline{};
    int remaining = 0;  // how many it may still claim
    int waiting = 0;    // claimed and not settled
    bool refused = false;
    std::vector<Job> jobs;  // in the order they were claimed

    // Whether a job that was just claimed is for this order.
    bool wants(const Job& job) const;
    // Cuts a plan to what the order may still claim; it has a say about mails only.
    void limit(std::vector<ClaimLane>& plan, const std::function<ChannelKind(LaneId)>& channel_of) const;
  };
  Open* claiming();

  void claimed(Open& order, const Job& job, LeaseToken token);
  // There is nothing (more) to claim for it.
  void no_more(Open& order);
  void refuse(Open& order);
  // A job was settled (or is lost to this instance); `after` is what became of it. By lease: a job may be claimed again
  // before its last settlement is told.
  void settled(const Job& after, LeaseToken token);

  // Answers what is complete or out of time; everything when `all`.
  void answer(Steady now, bool all);
  std::optional<Steady> next_deadline() const;

 private:
  std::list<Open> orders_;
  std::map<Lease, Open*> by_lease_;
};

}  // namespace eilbote
