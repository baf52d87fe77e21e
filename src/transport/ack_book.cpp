#include "transport/ack_book.h"

#include <set>

#include "base/assert.h"

namespace eilbote {
namespace {

// A connection has room for 2^40 deliveries, and a program for 2^24 connections.
constexpr int kTagBits = 40;
constexpr std::uint64_t kTagMask = (std::uint64_t{1} << kTagBits) - 1;

}  // namespace

Receipt AckBook::delivered(std::uint64_t tag, CarrierQueue queue) {
  if (open_.emplace(tag, queue).second) ++held_[static_cast<std::size_t>(queue)];
  return generation_ << kTagBits | (tag & kTagMask);
}

void AckBook::close(std::uint64_t tag) {
  const auto found = open_.find(tag);
  --held_[static_cast<std::size_t>(found->second)];
  open_.erase(found);
}

std::vector<AckBook::Order> AckBook::acknowledge(const std::vector<Receipt>& receipts) {
  std::set<std::uint64_t> told;
  for (const Receipt receipt : receipts) {
    if (receipt >> kTagBits != generation_) continue;
    if (open_.contains(receipt & kTagMask)) told.insert(receipt & kTagMask);
  }
  std::vector<Order> orders;
  std::uint64_t up_to = 0;
  int together = 0;
  for (; !open_.empty() && told.contains(open_.begin()->first); ++together) {
    up_to = open_.begin()->first;
    told.erase(up_to);
    close(up_to);
  }
  if (together > 0) orders.push_back({up_to, together > 1});
  for (const std::uint64_t tag : told) {
    close(tag);
    orders.push_back({tag, false});
  }
  EILBOTE_DEBUG_ASSERT(is_consistent());
  return orders;
}

void AckBook::begin_anew() {
  ++generation_;
  open_.clear();
  held_.fill(0);
}

bool AckBook::is_consistent() const {
  std::array<int, kCarrierQueueNames.entries.size()> counted{};
  for (const auto& [tag, queue] : open_)
    ++counted[static_cast<std::size_t>(queue)];
  return counted == held_;
}

}  // namespace eilbote
