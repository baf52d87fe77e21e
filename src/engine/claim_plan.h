// What the ledger's next round asks the database for: lanes, the job an order names, and the offers of a broker, as far as
// pools, routes and memory have room. Used by the ledger's thread only. Asks the outbox for one thing itself: which pool the
// job of an order is in.
#pragma once

#include <string>
#include <vector>

#include "engine/departures.h"
#include "engine/dispatch_orders.h"
#include "engine/lane_book.h"
#include "engine/offer_desk.h"
#include "engine/pool_gate.h"
#include "engine/route_watch.h"
#include "ports/outbox.h"

namespace eilbote {

class ClaimPlan {
 public:
  using Steady = Clock::Steady;
  // The ledger's own; they outlive it.
  struct Parts {
    Outbox& outbox;
    const std::vector<Pool>& pools;
    LaneBook& lanes;
    PoolGate& gate;
    RouteWatch& routes;
    Departures& departures;
    DispatchOrders& orders;
    OfferBook& offers;
  };
  struct Rules {
    bool continuous = true;  // false: mails go out only by an order
    bool by_broker = false;  // only limited pools are asked for by lane, and mails for an order
    bool takes_webhooks = true;
  };
  ClaimPlan(Parts parts, Rules rules) : parts_(parts), rules_(rules) {}

  struct Ask {
    ExchangeRequest request;                // its lanes, claim_one and offers
    DispatchOrders::Open* order = nullptr;  // that some of it is for

    bool empty() const { return request.lanes.empty() && request.offers.empty() && !request.claim_one; }
  };
  // The offers in it are taken out of their book's line: decided() or failed() must follow.
  Ask next(Steady now);

  // Whether a job that was claimed because it was offered can be started now. On a host whose breaker is open and may be probed
  // it can: it is the probe.
  WayOut way_of(const Job& job, Steady now);

  // Jobs of this lane come by the broker, not from the database.
  bool travels(const std::string& pool) const { return rules_.by_broker && !parts_.gate.is_limited(pool); }

 private:
  int room_of(const std::string& pool, Steady now);
  // `taken_in`: a pool in which one place is taken already.
  std::vector<ClaimLane> lanes(Steady now, DispatchOrders::Open* order, const std::string& taken_in);
  bool asks_for_mail(const std::vector<ClaimLane>& lanes) const;
  bool room_is_short(Steady now);
  std::string pool_of(JobId id) const;
  int offers_of(ChannelKind channel, Steady now);
  void add_offers(Ask& ask, Steady now);

  const Parts parts_;
  const Rules rules_;
};

}  // namespace eilbote
