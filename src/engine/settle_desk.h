// Writes finished attempts down together with the next claim, and copes when the database refuses one of
// them: the rest is settled, and the bad one again with a text of our own. Has no state: two threads may use it at once.
#pragma once

#include <span>

#include "engine/courier.h"
#include "ports/outbox.h"

namespace eilbote {

struct Exchanged : ExchangeResult {
  bool settled_only = false;  // nothing was claimed or looked at for a claim
};

class SettleDesk {
 public:
  explicit SettleDesk(Outbox& outbox) : outbox_(outbox) {}

  // The request's claims, and these outcomes, in one transaction. When a row is refused (SQLSTATE 22 or 23) it settles
  // without claiming, by halves, and says so. The result has one outcome per finished attempt. After an error nothing may be assumed:
  // ask again with the same outcomes, they are told apart by their tokens.
  Result<Exchanged> exchange(ExchangeRequest request, std::span<const FinishedPtr> finished);

 private:
  Result<void> settle_by_halves(std::span<const FinishedPtr> finished, ExchangeResult& into);
  Result<void> settle_bluntly(const Finished& finished, ExchangeResult& into);

  Outbox& outbox_;
};

}  // namespace eilbote
