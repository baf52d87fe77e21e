// Writes finished attempts down together with the next claim, and copes when the database refuses one of
// them: the rest is settled, and the bad one again with a text of our own. Used by the ledger's thread only.
#pragma once

#include <optional>
#include <span>

#include "engine/courier.h"
#include "engine/second_hand.h"
#include "ports/outbox.h"

namespace eilbote {

struct Metrics;

class SettleDesk {
 public:
  // `hands`: how many transactions at once are worth it, 1 or 2.
  SettleDesk(Outbox& outbox, Metrics& metrics, std::size_t hands = 1) : outbox_(outbox), metrics_(metrics) {
    if (hands > 1) second_.emplace("ledger-2");
  }

  // The request's claims, and these outcomes, in one transaction, or half of them in a second one at the same time. When a
  // row is refused (SQLSTATE 22 or 23) it settles without claiming, by halves. The result has one outcome per finished
  // attempt. After an error nothing may be assumed: ask again with the same outcomes, they are told apart by their tokens.
  Result<ExchangeResult> exchange(ExchangeRequest request, std::span<const Finished> finished);

 private:
  Result<ExchangeResult> exchange_at_once(ExchangeRequest request, std::span<const Finished> finished);
  Result<void> settle_by_halves(std::span<const Finished> finished, ExchangeResult& into);
  Result<void> settle_bluntly(const Finished& finished, ExchangeResult& into);

  Outbox& outbox_;
  Metrics& metrics_;
  std::optional<SecondHand> second_;
};

// Counts what became of a settled attempt.
void count_outcome(const Finished& finished, Metrics& metrics);

}  // namespace eilbote
