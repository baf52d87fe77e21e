// Finished attempts that wait to be settled, the oldest first. Few go along with the ledger's next claim; many are settled beside
// the claims, by the side desk's thread. Used by the ledger's thread only; what it holds is lost with the process, as every
// lease is.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "engine/side_desk.h"

namespace eilbote {

class OutcomeLine {
 public:
  using Steady = Clock::Steady;
  // `done` is called from the side desk's thread; what it was given is handed to aside_is_over() by the ledger's.
  OutcomeLine(SettleDesk& desk, std::function<void(SideDesk::Settled)> done)
      : aside_(desk, std::move(done)) {}

  void add(FinishedPtr finished) { waiting_.push_back(std::move(finished)); }
  bool empty() const { return waiting_.empty(); }
  bool is_settling_aside() const { return aside_since_.has_value(); }

  // Whether none has waited for so long. Outcomes that cannot be settled pile up; more claims would only make more of them.
  bool is_fresh(Steady now, Duration patience) const {
    const auto fresh = [&](Steady at) { return now - at < patience; };
    return (!aside_since_ || fresh(*aside_since_)) && (waiting_.empty() || fresh(waiting_.front()->at));
  }

  // Begins to settle aside when that is worth it.
  void settle_aside() {
    if (aside_since_ || aside_failed_ || waiting_.size() < kAsideFrom) return;
    const auto end = waiting_.begin() + static_cast<long>(std::min(waiting_.size(), kAtOnceMax));
    aside_since_ = waiting_.front()->at;
    aside_.begin({std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end)});
    waiting_.erase(waiting_.begin(), end);
  }
  // When it failed they are the first in line again; once more together with a claim, so that the pause grows for both.
  void aside_is_over(SideDesk::Settled& aside) {
    aside_since_.reset();
    if (aside.result) return;
    aside_failed_ = true;
    waiting_.insert(waiting_.begin(), std::make_move_iterator(aside.finished.begin()),
                    std::make_move_iterator(aside.finished.end()));
  }

  // Those that go along with the next claim.
  std::span<const FinishedPtr> next() const {
    return std::span(waiting_).first(aside_since_ ? 0 : std::min(waiting_.size(), kAtOnceMax));
  }
  // The first `n` are settled.
  void settled(std::size_t n) {
    if (n > 0) aside_failed_ = false;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<long>(n));
  }

 private:
  static constexpr std::size_t kAtOnceMax = 500;
  // So many are worth a transaction of their own.
  static constexpr std::size_t kAsideFrom = 48;

  std::vector<FinishedPtr> waiting_;
  bool aside_failed_ = false;
  std::optional<Steady> aside_since_;  // while some are settled aside: since when the first of them waits
  SideDesk aside_;                     // last: its thread ends first
};

}  // namespace eilbote
