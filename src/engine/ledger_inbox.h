// What other threads left for the ledger's thread; guarded by the ledger.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/dispatch_orders.h"
#include "engine/side_desk.h"

namespace eilbote {

struct LedgerInbox {
  std::vector<FinishedPtr> finished;
  std::optional<SideDesk::Settled> settled;
  std::optional<Error> not_loaded;  // contents of claimed jobs
  bool eased = false;               // departures take more
  std::vector<LaneId> woken;
  std::vector<Offer> offers;
  bool wake_all = false;
  std::vector<std::pair<DispatchOrder, DispatchOrders::Done>> orders;
  std::optional<Result<void>> probed;
  std::vector<std::string> resets;  // routes whose breakers are closed by hand

  bool empty() const {
    return finished.empty() && !settled && !not_loaded && !eased && woken.empty() && !wake_all &&
           offers.empty() && orders.empty() && !probed && resets.empty();
  }
};

}  // namespace eilbote
