#include "transport/confirm_book.h"

#include "base/assert.h"

namespace eilbote {

void ConfirmBook::wrote(const SharedBatch& batch, std::size_t parcel) {
  const std::uint64_t number = ++last_number_;
  open_.emplace(number, Slip{batch, parcel});
  by_id_.emplace(batch->parcels[parcel].id, number);
  batch->answers[parcel] = Carriage::unknown;  // until something is heard of it
  ++batch->open;
}

ConfirmBook::Slips::iterator ConfirmBook::answer(Slips::iterator slip, Carriage carriage) {
  ParcelBatch& batch = *slip->second.batch;
  const std::size_t parcel = slip->second.parcel;
  batch.answers[parcel] = carriage;
  --batch.open;
  const auto [begin, end] = by_id_.equal_range(batch.parcels[parcel].id);
  for (auto it = begin; it != end; ++it)
    if (it->second == slip->first) {
      by_id_.erase(it);
      break;
    }
  return open_.erase(slip);
}

void ConfirmBook::confirmed(std::uint64_t number, bool multiple, bool ok) {
  auto slip = multiple ? open_.begin() : open_.find(number);
  while (slip != open_.end() && slip->first <= number) {
    const bool has_it = ok && !slip->second.came_back;
    slip = answer(slip, has_it ? Carriage::confirmed : Carriage::refused);
    if (!multiple) break;
  }
  EILBOTE_DEBUG_ASSERT(is_consistent());
}

// Numbers under one id are in the order they were added, so the first that has not come back is the one.
void ConfirmBook::returned(const std::string& message_id) {
  const auto [begin, end] = by_id_.equal_range(message_id);
  for (auto it = begin; it != end; ++it) {
    Slip& slip = open_.at(it->second);
    if (slip.came_back) continue;
    slip.came_back = true;
    return;
  }
}

void ConfirmBook::give_up(const SharedBatch& batch) {
  for (auto slip = open_.begin(); slip != open_.end();)
    slip = slip->second.batch == batch ? answer(slip, Carriage::unknown) : std::next(slip);
}

void ConfirmBook::lose_all() {
  // What came back is not at the broker, whether that was confirmed or not.
  for (auto slip = open_.begin(); slip != open_.end();)
    slip = answer(slip, slip->second.came_back ? Carriage::refused : Carriage::unknown);
  last_number_ = 0;
}

bool ConfirmBook::is_consistent() const {
  std::map<const ParcelBatch*, std::size_t> counted;
  for (const auto& [number, slip] : open_)
    ++counted[slip.batch.get()];
  for (const auto& [number, slip] : open_)
    if (slip.batch->open != counted[slip.batch.get()]) return false;
  return open_.size() == by_id_.size();
}

}  // namespace eilbote
