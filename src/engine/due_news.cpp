#include "engine/due_news.h"

namespace eilbote {

void DueNews::everywhere(std::span<const LaneId> lanes) {
  if (ended_) return;
  ledger_.wake(lanes);
  if (publisher_ != nullptr) publisher_->wake(lanes);
  transport_.announce();
}

void DueNews::nearby(std::span<const LaneId> lanes) {
  if (!takes_here_) return everywhere(lanes);
  if (ended_) return;
  ledger_.wake(lanes);
  if (publisher_ != nullptr) publisher_->wake(lanes);
}

void DueNews::somewhere() {
  if (ended_) return;
  look();
  if (!takes_here_) transport_.announce();
}

void DueNews::look() {
  if (ended_) return;
  ledger_.wake_all();
  if (publisher_ != nullptr) publisher_->wake_all();
}

}  // namespace eilbote
